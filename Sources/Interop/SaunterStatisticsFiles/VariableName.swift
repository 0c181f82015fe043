/// Names of variables in statistics packages. A name that a package reserves gets an underscore as suffix.
package enum VariableName {
    private static let spss: Set<String> = [
        "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with",
    ]
    private static let stata: Set<String> = [
        "byte", "double", "float", "if", "in", "int", "long", "strl", "using", "with",
    ]

    /// The unique variable names of a table.
    /// - Parameter free: returns a valid name that is not taken, for a wanted name and the set of taken names.
    package static func names(
        _ columns: [String], for program: StatisticsProgram,
        free: (_ wanted: String, _ taken: Set<String>) -> String
    ) -> [String] {
        var taken = Set(columns)
        return columns.map { name in
            let isStringType =
                name.hasPrefix("str") && !name.dropFirst(3).isEmpty
                && name.dropFirst(3).allSatisfy(\.isNumber)
            let isReserved = program == .spss ? spss.contains(name) : stata.contains(name) || isStringType
            guard isReserved else { return name }
            let unusedName = free(name + "_", taken)
            taken.insert(unusedName)
            return unusedName
        }
    }
}

extension String {
    /// The longest prefix with at most this number of bytes that does not cut a Unicode scalar.
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
