import TableModel
import TableStore
