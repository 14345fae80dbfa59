import Definitions
import TableModel

enum AnimationKeys: ObjectKeys {
  static let name = "Animation"
  static let noun = "the animation"

  static let insert: Key<RowAnimation> = Key("insert", .word, "Rows and sections that come. Default: automatic.")
  static let delete: Key<RowAnimation> = Key("delete", .word, "Rows and sections that go. Default: automatic.")
  static let reload: Key<RowAnimation> = Key("reload", .word, "Rows whose cell is exchanged. Default: automatic.")

  static let keys = [insert.description, delete.description, reload.description]

  static func value(of object: ObjectReader) -> AnimationConfiguration? {
    var animation = AnimationConfiguration()
    object.set(&animation.insert, from: insert)
    object.set(&animation.delete, from: delete)
    object.set(&animation.reload, from: reload)
    return animation
  }
}
