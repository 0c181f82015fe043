import SaunterCore

/// The type of a row, in all spellings that forms use.
struct XLSFormType {
    /// The type in its canonical spelling.
    let word: String
    /// The name of the list of a choice; empty for other types.
    let list: String
    /// Whether a free-text answer is allowed.
    let hasOther: Bool

    /// Types with an equivalent item type.
    static let plain = Dictionary(
        ItemType.allCases.flatMap { type in type.definition.xlsForm.map { ($0, type) } },
        uniquingKeysWith: { first, _ in first })
    /// Types whose value a device sets without the participant.
    static let notAsked: Set<String> = [
        "start", "end", "today", "deviceid", "device id", "subscriberid", "subscriber id", "simserial",
        "sim id",
        "phonenumber", "get phone number", "get start time", "get end time", "get today", "get device id",
        "get subscriber id", "get sim id", "username", "email", "audit", "start-geopoint", "background-audio",
        "uri:deviceid", "uri:subscriberid", "uri:simserial", "uri:phonenumber", "uri:username", "uri:email",
        "osm", "xml-external", "csv-external", "background-geopoint", "entity", "include",
    ]

    init(_ cell: String) {
        var words = cell.split(whereSeparator: \.isWhitespace).map(String.init)
        let lower = words.map { $0.lowercased() }
        let otherWords = ["or_other", "or specify other", "or other"]
        let whole = lower.joined(separator: " ")
        hasOther = otherWords.contains { whole.hasSuffix(" " + $0) }
        if let other = otherWords.first(where: { whole.hasSuffix(" " + $0) }) {
            words.removeLast(other.split(separator: " ").count)
        }
        let starts: [(String, String)] = [
            ("select one from file", "select one"), ("select multiple from file", "select multiple"),
            ("select one from", "select one"), ("select one external", "select one"),
            ("select one", "select one"),
            ("add select one prompt using", "select one"),
            ("add select multiple prompt using", "select multiple"),
            ("select multiple from", "select multiple"), ("select multiple", "select multiple"),
            ("select all that apply from", "select multiple"), ("select all that apply", "select multiple"),
            ("select1", "select one"), ("rank", "rank"),
        ]
        let plain = words.joined(separator: " ").lowercased().replacing("_", with: " ")
        for (start, meaning) in starts where plain == start || plain.hasPrefix(start + " ") {
            word = meaning
            // With underscores, several words of the type are one word of the cell.
            let hasUnderscores = words.first.map { $0.contains("_") } == true
            let count =
                hasUnderscores
                ? 1 + (start.split(separator: " ").count - words[0].split(separator: "_").count)
                : start.split(separator: " ").count
            list = words.dropFirst(max(1, count)).joined(separator: " ")
            return
        }
        list = ""
        word =
            switch plain {
            case "begingroup": "begin group"
            case "endgroup": "end group"
            case "beginrepeat", "begin lgroup", "begin repeat": "begin repeat"
            case "endrepeat", "end lgroup": "end repeat"
            case "begin looped group": "begin repeat"
            case "end looped group": "end repeat"
            case _ where plain.hasPrefix("begin loop"): "begin loop"
            default: plain
            }
    }
}
