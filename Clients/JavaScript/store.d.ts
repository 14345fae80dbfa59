export { indexedDBStore } from "./tablecast.js";
