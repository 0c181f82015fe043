import Foundation

/// Reads the names of the wanted sheets and the ids of their relationships. If several sheets have the same name, it
/// keeps the first.
final class WorkbookSheetNames: WorkbookXMLReader {
    private(set) var sheets: [(name: String, id: String)] = []
    /// Whether days are counted from 1904.
    private(set) var countsFrom1904 = false
    private var wanted: Set<String>
    private let normalise: (String) -> String

    init(wanted: Set<String>, normalise: @escaping (String) -> String) {
        self.wanted = wanted
        self.normalise = normalise
    }

    override func didStart(_ name: String, _ attributes: [String: String]) {
        if name == "workbookPr" { countsFrom1904 = ["1", "true"].contains(attributes["date1904"] ?? "") }
        guard name == "sheet", let title = attributes["name"],
            let id = attributes.first(where: { $0.key == "r:id" || $0.key.hasSuffix(":id") })?.value,
            wanted.remove(normalise(title)) != nil
        else { return }
        sheets.append((title, id))
    }
}

/// Reads the paths of the relationships with these ids.
final class WorkbookRelationships: WorkbookXMLReader {
    private(set) var targets: [String: String] = [:]
    private let ids: Set<String>

    init(of ids: Set<String>) {
        self.ids = ids
    }

    override func didStart(_ name: String, _ attributes: [String: String]) {
        guard name == "Relationship", let id = attributes["Id"], ids.contains(id),
            let target = attributes["Target"]
        else { return }
        targets[id] = target
    }
}

/// Reads the shared texts, which cells refer to by index.
final class WorkbookSharedStrings: WorkbookXMLReader {
    private(set) var texts: [String] = []
    private var text = ""
    private var isText = false
    private var isPhonetic = false

    override func didStart(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "si": text = ""
        case "t": isText = true
        case "rPh": isPhonetic = true
        default: break
        }
    }

    override func didEnd(_ name: String) {
        switch name {
        case "si": texts.append(text)
        case "t": isText = false
        case "rPh": isPhonetic = false
        default: break
        }
    }

    override func didRead(_ string: String) { if isText, !isPhonetic { text += string } }
}
