import { Client } from "./client.js";
import { finding } from "./find.js";
import { makeLine } from "./line.js";

export class TablecastClient extends Client {
  constructor(address, options) {
    super(makeLine, address, options, finding);
  }
}
export { indexedDBStore } from "./store.js";
export { applyStage } from "./stages.js";
export { isAsNewAs } from "./cursor.js";
