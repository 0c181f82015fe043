import SaunterCore

/// `meta/codebook.csv`: describes every column of every file.
struct Codebook {
    private static let header = [
        "file", "column", "position", "label", "question", "type", "unit", "value_set", "instrument", "item",
        "first_version",
        "last_version", "asked_when", "min", "max", "weights", "reverse_scored", "scales", "identifier_class",
        "treatment", "source",
        "derived_from",
    ]

    let tables: [Table]
    let definitions: StudyDefinitions
    let profile: DatasetProfile

    var csv: [UInt8] {
        var text = CSVText(header: Self.header)
        for table in tables {
            for format in table.formats {
                for (index, column) in table.columns.enumerated() {
                    text.add(row(table, format, column, position: index + 1))
                }
            }
        }
        return text.bytes
    }

    private func row(_ table: Table, _ format: TableFormat, _ column: Column, position: Int) -> [String?] {
        let item = column.item
        let description = ItemDescription(of: column, definitions)
        let scales = description?.scales ?? []
        return [
            table.path(format), column.name, String(position), column.label, description?.question,
            column.type.rawValue, column.unit, column.valueSet,
            item?.instrument ?? table.instrument, item?.linkId, item?.appearances.first?.version,
            item?.appearances.last?.version, description?.askedWhen,
            description?.range?.minimum, description?.range?.maximum, description?.weights,
            description.map { $0.isReversed ? "1" : "0" },
            scales.isEmpty ? nil : scales.joined(separator: " "), column.identifierClass.rawValue,
            column.treatment(in: profile).rawValue,
            column.source.rawValue, column.derivedFrom,
        ]
    }
}
