/// Names of variables in programs that keep some words for themselves: such a name gets an underscore.
enum StatisticsName {
    private static let spss: Set<String> = [
        "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with",
    ]
    private static let stata: Set<String> = [
        "byte", "double", "float", "if", "in", "int", "long", "strl", "using", "with",
    ]

    /// The names of a table's variables; no two are alike.
    static func names(_ columns: [Column], for format: DatasetFormat) -> [String] {
        var taken = Set(columns.map(\.name))
        return columns.map { column in
            let name = column.name
            let isStringType =
                name.hasPrefix("str") && !name.dropFirst(3).isEmpty
                && name.dropFirst(3).allSatisfy(\.isNumber)
            let isReserved = format == .spss ? spss.contains(name) : stata.contains(name) || isStringType
            guard isReserved else { return name }
            let free = ColumnName.free(name + "_", taken: taken)
            taken.insert(free)
            return free
        }
    }
}

extension String {
    /// Its beginning of at most so many bytes, no character cut.
    func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var text = ""
        var length = 0
        for scalar in unicodeScalars {
            length += String(scalar).utf8.count
            guard length <= bytes else { break }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
