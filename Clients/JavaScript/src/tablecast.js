export { TablecastClient } from "./client.js";
export { indexedDBStore } from "./store.js";
export { applyStage } from "./stages.js";
export { isAsNewAs } from "./cursor.js";
