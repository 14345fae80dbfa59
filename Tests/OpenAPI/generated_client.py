"""Goes through the service's routes with a client that was generated from its OpenAPI document."""

import sys
import urllib.request

from tablecast import Client
from tablecast.api.around import health, readiness
from tablecast.api.edits import add_item, delete_item, edit_items, move_item, patch_item, refresh_table, tap_row
from tablecast.api.tables import (
    get_item, get_row, get_row_at, get_table, list_cells, list_tables, poll_table, poll_tables,
)
from tablecast.models import (
    AddEdit, Batch, Changeset, DeleteEdit, Item, ItemPatch, ListedFamily, ListedTable, PlaceInSection, Problem, Reset,
)

client = Client(base_url=sys.argv[1])


def must(value, kind):
    assert isinstance(value, kind), f"{kind.__name__} was awaited: {value}"
    return value


assert health.sync(client=client).status == "ok"
assert readiness.sync(client=client).status == "ok"

listed = {table.id: table for table in list_tables.sync(client=client).tables}
must(listed["todo"], ListedTable)
assert must(listed["words"], ListedFamily).parameters[0].name == "q"
assert {cell.cell_identifier for cell in list_cells.sync(client=client).cells} >= {"Label", "Expandable"}
family = get_table.sync("words;q=a", client=client)
assert [row.id for row in family.sections[0].rows] == ["alpha"]

snapshot = get_table.sync("todo", client=client)
start = must(poll_table.sync("todo", client=client), Reset)
assert start.reset == "start" and start.snapshot.cursor == snapshot.cursor
assert must(poll_table.sync("todo", client=client, after=snapshot.cursor, wait=0), Changeset).stages == []

added = add_item.sync("todo", client=client, body=Item.from_dict({"title": "Buy milk", "rank": 1}))
assert get_item.sync("todo", added.id, client=client)["title"] == "Buy milk"
patched = patch_item.sync(
    "todo", added.id, client=client, body=ItemPatch.from_dict({"title": "Buy oat milk"}), if_match=f'"{added.cursor}"'
)
late = patch_item.sync("todo", added.id, client=client, body=ItemPatch.from_dict({}), if_match=f'"{added.cursor}"')
assert must(late, Problem).status == 412
moved = move_item.sync("todo", added.id, client=client, body=PlaceInSection(section="2", at=0))
assert get_item.sync("todo", added.id, client=client)["rank"] == 2

row = get_row.sync("todo", added.id, client=client)
assert get_row_at.sync("todo", client=client, at=f"{row.at[0]},{row.at[1]}").row.id == added.id
tapped = tap_row.sync("todo", added.id, client=client, view="screen")
assert tapped.row.payload["isExpanded"] is True

changes = must(poll_table.sync("todo", client=client, after=snapshot.cursor, view="screen", wait=20), (Changeset))
assert changes.to == tapped.cursor and len(changes.stages) == 1
window = must(poll_table.sync("todo", client=client, after=moved.cursor, rows=1, wait=20), Changeset)
assert window.stages[-1].window.rows == 1

batch = Batch(edits=[AddEdit(op="add", item=Item.from_dict({"title": "A"})), DeleteEdit(op="delete", id=added.id)])
done = edit_items.sync("todo", client=client, body=batch)
assert len(done.ids) == 2
assert must(delete_item.sync("todo", done.ids[0], client=client).cursor, str)
assert must(get_table.sync("none", client=client), Problem).status == 404
refresh_table.sync("todo", client=client)

several = poll_tables.sync(client=client, after=["todo:", "none:"], wait=20).changes
assert sorted(type(change).__name__ for change in several) == ["Reset", "TableTrouble"]

# The generator makes nothing of streams.
with urllib.request.urlopen(f"{sys.argv[1]}/v1/tables/todo/stream") as stream:
    assert stream.readline() == b"event: changes\n"

print("The generated client went through.")
