import SaunterCore

/// `meta/ddi.xml`: describes the study, every table and every column by the standard DDI Codebook 2.5, which archives
/// and catalogues read. A table with several formats is described once, with its first file.
struct DDICodebook {
    let tables: [Table]
    let snapshot: DatasetSnapshot
    /// The files that are already written, for their numbers of rows.
    let files: [DatasetFile]
    /// The version of Saunter that writes the dataset.
    let software: String

    private var definitions: StudyDefinitions { snapshot.definitions }

    var xml: [UInt8] {
        var xml = XMLText()
        xml.element(
            "codeBook",
            [
                ("xmlns", "ddi:codebook:2_5"),
                ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
                (
                    "xsi:schemaLocation",
                    "ddi:codebook:2_5 http://www.ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd"
                ),
                ("version", "2.5"), ("xml:lang", definitions.language),
            ]
        ) { xml in
            study(into: &xml)
            for (index, table) in tables.enumerated() { file(table, id: Self.id(index), into: &xml) }
            xml.element("dataDscr") { xml in
                let labels = CodeLabels(definitions: definitions)
                for (index, table) in tables.enumerated() {
                    for (position, column) in table.columns.enumerated() {
                        variable(
                            column, id: "\(Self.id(index))_V\(position + 1)", of: Self.id(index), labels,
                            into: &xml)
                    }
                }
            }
        }
        return Array(xml.text.utf8)
    }

    private static func id(_ table: Int) -> String { "F\(table + 1)" }

    private func study(into xml: inout XMLText) {
        let text = definitions.studyText
        let title = text?.title ?? definitions.code
        let dataset = definitions.newest.dataset
        xml.element("docDscr") { xml in
            xml.element("citation") { xml in
                xml.element("titlStmt") { $0.leaf("titl", "Codebook: \(title)") }
                xml.element("prodStmt") { xml in
                    let date = String(snapshot.asOf.description.prefix { $0 != "T" })
                    xml.leaf("prodDate", date, [("date", date)])
                    xml.leaf("software", "Saunter", [("version", software)])
                }
            }
        }
        xml.element("stdyDscr") { xml in
            xml.element("citation") { xml in
                xml.element("titlStmt") { xml in
                    xml.leaf("titl", title)
                    xml.leaf("IDNo", definitions.code)
                }
                if !dataset.contributors.isEmpty {
                    xml.element("rspStmt") { xml in
                        for contributor in dataset.contributors {
                            let affiliation = contributor.organization.map { [("affiliation", $0)] } ?? []
                            xml.leaf("AuthEnty", contributor.name, affiliation)
                        }
                    }
                }
                xml.element("verStmt") { $0.leaf("version", definitions.live) }
            }
            if let summary = text?.summary, !summary.isEmpty {
                xml.element("stdyInfo") { $0.leaf("abstract", summary) }
            }
            if let license = dataset.license {
                xml.element("dataAccs") { xml in
                    xml.element("useStmt") { xml in
                        let parts = [license.name, license.url].compactMap(\.self)
                        xml.leaf("conditions", parts.joined(separator: " "))
                    }
                }
            }
        }
    }

    private func file(_ table: Table, id: String, into xml: inout XMLText) {
        let path = table.path(table.formats[0])
        xml.element("fileDscr", [("ID", id), ("URI", path)]) { xml in
            xml.element("fileTxt") { xml in
                xml.leaf("fileName", path)
                xml.leaf("fileCont", table.title)
                xml.element("dimensns") { xml in
                    if let rows = files.first(where: { $0.path == path })?.rows {
                        xml.leaf("caseQnty", String(rows))
                    }
                    xml.leaf("varQnty", String(table.columns.count))
                }
                xml.leaf("fileType", table.formats[0].rawValue)
            }
        }
    }

    /// The parts of a variable are in the order of the standard.
    private func variable(
        _ column: Column, id: String, of file: String, _ labels: CodeLabels, into xml: inout XMLText
    ) {
        let description = ItemDescription(of: column, definitions)
        var attributes = [("ID", id), ("name", column.name), ("files", file)]
        attributes.append(("intrvl", column.type == .number ? "contin" : "discrete"))
        if let unit = column.unit { attributes.append(("measUnit", unit)) }
        xml.element("var", attributes) { xml in
            xml.leaf("labl", column.label)
            if let question = description?.question {
                xml.element("qstn") { $0.leaf("qstnLit", question) }
            }
            if let range = description?.range, range.minimum != nil || range.maximum != nil {
                let bounds = [("min", range.minimum), ("max", range.maximum)].compactMap { name, bound in
                    bound.map { (name, $0) }
                }
                let units = column.type == .integer ? "INT" : "REAL"
                xml.element("valrng") { $0.leaf("range", "", [("UNITS", units)] + bounds) }
            }
            if let askedWhen = description?.askedWhen { xml.leaf("universe", askedWhen) }
            for (code, label) in labels.of(column) {
                xml.element("catgry") { xml in
                    xml.leaf("catValu", code)
                    xml.leaf("labl", label)
                }
            }
            if let columns = column.derivedFrom {
                xml.element("derivation") { $0.leaf("drvdesc", "From \(columns)") }
            }
            xml.leaf("varFormat", "", Self.format(column.type))
            if let weights = description?.weights { xml.leaf("notes", "Weights in scores: \(weights)") }
        }
    }

    private static func format(_ type: ColumnType) -> [(String, String)] {
        switch type {
        case .integer, .number, .boolean: [("type", "numeric")]
        case .string: [("type", "character")]
        case .date: [("type", "character"), ("category", "date"), ("formatname", "yyyy-mm-dd")]
        case .instant:
            [("type", "character"), ("category", "date"), ("formatname", "yyyy-mm-ddThh:mm:ss.sssZ")]
        case .local:
            [("type", "character"), ("category", "date"), ("formatname", "yyyy-mm-ddThh:mm:ss.sss")]
        case .time: [("type", "character"), ("category", "time"), ("formatname", "hh:mm:ss")]
        }
    }
}

/// XML text that is being written, with one element per line.
private struct XMLText {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private var depth = 0

    /// Adds an element that contains other elements.
    mutating func element(
        _ name: String, _ attributes: [(String, String)] = [], _ content: (inout XMLText) -> Void
    ) {
        line(start(name, attributes) + ">")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// Adds an element that contains a text.
    mutating func leaf(_ name: String, _ content: String, _ attributes: [(String, String)] = []) {
        let start = start(name, attributes)
        line(content.isEmpty ? start + "/>" : "\(start)>\(HTML.escaped(content))</\(name)>")
    }

    private func start(_ name: String, _ attributes: [(String, String)]) -> String {
        "<\(name)" + attributes.map { " \($0)=\"\(HTML.escaped($1))\"" }.joined()
    }

    private mutating func line(_ line: String) {
        text += String(repeating: " ", count: 2 * depth) + line + "\n"
    }
}
