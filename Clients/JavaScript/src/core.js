// The client for pages that show tables and edit none: all but the edits.

import { Client } from "./client.js";

const nothing = () => {};
const noEdits = (_, segment) => ({
  _segment: segment, _edits: [], _tables: new Set(), _overlay: (_, sections) => sections,
  _join: nothing, _adding: nothing, _needs: nothing, _told: nothing, _refused: nothing, _goOn: nothing, _purge: nothing, _close: nothing,
});

export class TablecastClient extends Client {
  constructor(address, options) {
    super(noEdits, address, options);
  }
}
export { applyStage } from "./stages.js";
export { isAsNewAs } from "./cursor.js";
