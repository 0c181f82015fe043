import Foundation

/// Names of the sheets that are wanted, the first of each name, and the ids of their relations.
final class WorkbookSheetNames: WorkbookElements {
    private(set) var sheets: [(name: String, id: String)] = []
    /// Whether days are counted from 1904.
    private(set) var isFrom1904 = false
    private var wanted: Set<String>
    private let plain: (String) -> String

    init(wanted: Set<String>, plain: @escaping (String) -> String) {
        self.wanted = wanted
        self.plain = plain
    }

    override func begin(_ name: String, _ attributes: [String: String]) {
        if name == "workbookPr" { isFrom1904 = ["1", "true"].contains(attributes["date1904"] ?? "") }
        guard name == "sheet", let title = attributes["name"],
            let id = attributes.first(where: { $0.key == "r:id" || $0.key.hasSuffix(":id") })?.value,
            wanted.remove(plain(title)) != nil
        else { return }
        sheets.append((title, id))
    }
}

/// Id of a relation -> path, of those that are needed.
final class WorkbookRelations: WorkbookElements {
    private(set) var targets: [String: String] = [:]
    private let ids: Set<String>

    init(of ids: Set<String>) {
        self.ids = ids
    }

    override func begin(_ name: String, _ attributes: [String: String]) {
        guard name == "Relationship", let id = attributes["Id"], ids.contains(id),
            let target = attributes["Target"]
        else { return }
        targets[id] = target
    }
}

/// The texts that cells name by number.
final class WorkbookTexts: WorkbookElements {
    private(set) var texts: [String] = []
    private var text = ""
    private var isText = false
    private var isPhonetic = false

    override func begin(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "si": text = ""
        case "t": isText = true
        case "rPh": isPhonetic = true
        default: break
        }
    }

    override func end(_ name: String) {
        switch name {
        case "si": texts.append(text)
        case "t": isText = false
        case "rPh": isPhonetic = false
        default: break
        }
    }

    override func take(_ string: String) { if isText, !isPhonetic { text += string } }
}
