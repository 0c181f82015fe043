/// The lists of the sheet `choices`.
struct XLSFormLists {
    struct Option {
        let name: String
        let row: Worksheet.Row
    }

    private let table: XLSFormTable?
    private var lists: [String: [Option]] = [:]
    /// Rows without a list or without a name, which are ignored.
    private(set) var incompleteRows: [Worksheet.Row] = []

    init(_ table: XLSFormTable?) {
        self.table = table
        guard let table else { return }
        let listColumn = ["list_name", "list"].first { table[$0] != nil } ?? "list_name"
        for row in table.rows {
            let (list, name) = (table.cell(row, listColumn), table.cell(row, "name"))
            if !list.isEmpty, !name.isEmpty {
                lists[list, default: []].append(Option(name: name, row: row))
            } else if row.cells.contains(where: { $0.nonBlank != nil }) {
                incompleteRows.append(row)
            }
        }
    }

    subscript(name: String) -> [Option] { lists[name] ?? [] }

    /// Language -> label of an option.
    func labels(of option: Option, _ languages: XLSFormLanguages) -> [String: String] {
        table.map { languages.texts(option.row, $0, "label") } ?? [:]
    }
}
