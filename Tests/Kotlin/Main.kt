// Decodes rows as the service sends them with the generated code, and checks what comes out.

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

private val json = Json { ignoreUnknownKeys = true }

private const val ROW = """
    {"id": "1", "cellIdentifier": "product-cell",
     "payload": {"default": "a", "class": 3, "1st price": 1.5, "in-stock": true, "in_stock": false, "size": "extra large",
                 "colours": ["red"], "details": {"a": [1, null]}},
     "can": {"edit": true, "move": false, "select": true},
     "select": {"type": "open", "url": "https://example.com/1", "inApp": true, "place": {"first name": "Ann", "n": 1}}}
    """

private fun selection(text: String) = json.decodeFromString(Selection.serializer(), text)

fun main() {
    val cell = json.decodeFromString(Cell.serializer(), ROW)
    check(cell is ProductCell && cell.payload.size == ProductCell.Size.ExtraLarge) { cell }
    check(cell.payload.`class` == 3L && cell.payload.inStock && !cell.payload.inStock2 && cell.payload.seen == null) { cell }
    val unknown = json.decodeFromString(Cell.serializer(), """{"id": "2", "cellIdentifier": "Newer", "payload": {"a": 1}}""")
    check(unknown is UnknownCell && unknown.cellIdentifier == "Newer") { unknown }

    val select: JsonElement = json.parseToJsonElement(ROW).jsonObject.getValue("select")
    val open = json.decodeFromJsonElement(Selection.serializer(), select)
    check(open is Selection.Open && open.url?.jsonPrimitive?.content == "https://example.com/1") { open }
    check(open.inApp == true && open.place == Selection.Open.Place("Ann", 1.0)) { open }
    val call = selection("""{"type": "call number", "number": "110", "times": null}""")
    check(call is Selection.CallNumber && call.number == "110") { call }
    check(selection("""{"type": "self"}""") is Selection.Self)
    check(selection("""{"type": "newer", "a": 1}""") == Selection.Unknown("newer"))

    // What tells cells and selections apart is written, though it has a default.
    val title = SectionTitle(payload = SectionTitle.Payload("A"))
    for (text in listOf(json.encodeToString(SectionTitle.serializer(), title), json.encodeToString(Cell.serializer(), title))) {
        check(text == """{"cellIdentifier":"SectionTitle","payload":{"title":"A"}}""") { text }
    }
    val call2 = json.encodeToString(Selection.serializer(), Selection.CallNumber(number = "110"))
    check(call2 == """{"type":"call number","number":"110"}""") { call2 }

    val item = ToDoItem("Buy milk", address = ToDoItemAddress("Main Street"), state = ToDoItem.State.Open, `class` = listOf("a"))
    val written = json.encodeToString(ToDoItem.serializer(), item)
    check(written == """{"title":"Buy milk","address":{"street":"Main Street"},"state":"open","class":["a"]}""") { written }
    check(Tables.ToDo.NAME == "to-do" && Tables.ToDo.Sections.nextWeek == "next week")
    check(Tables.String2.Parameters.dir == "dir" && Tables.String2.Dir.descending == "descending")
    println("the generated Kotlin compiles, and reads and writes what it should")
}
