import SaunterCore
import SaunterEvaluation

/// The fields of a REDCap request. What no client of REDCap sends is refused, because a misspelt filter would silently give everything.
struct REDCapParameters {
    /// Lists have at most so many entries.
    private static let maximumList = 10_000

    private static let known: Set<String> = [
        "content", "format", "returnFormat", "type", "action", "records", "fields", "forms", "events", "arms",
        "field", "rawOrLabel", "rawOrLabelHeaders", "exportCheckboxLabel", "exportMissingDataCodes",
        "dateRangeBegin", "dateRangeEnd", "csvDelimiter", "filterLogic", "decimalCharacter", "eventName",
        "exportSurveyFields", "exportDataAccessGroups", "exportBlankForGrayFormStatus",
        "combineCheckboxOptions", "exportFiles", "returnMetadataOnly", "submit",
    ]

    private var single: [String: String] = [:]
    private var lists: [String: [(place: Int, value: String)]] = [:]

    /// Throws `request-invalid`.
    init(_ body: JSON) throws(Problem) {
        for member in body.object ?? [:] {
            let value = member.value.string ?? ""
            let name = String(member.name.prefix { $0 != "[" })
            guard Self.known.contains(name) else {
                // Importing and deleting have parameters of their own.
                throw Problem(
                    .requestInvalid,
                    "The parameter \"\(name.prefix(40))\" is not known here; data are only read.")
            }
            guard name.utf8.count < member.name.utf8.count else {
                single[name] = value
                continue
            }
            let index = member.name.dropFirst(name.count + 1)
            guard index.last == "]", let place = index.count == 1 ? 0 : Int(index.dropLast()), place >= 0
            else {
                throw Problem(.requestInvalid, "The parameter \"\(name)\" has an index that is no number.")
            }
            lists[name, default: []].append((place, value))
        }
        if let action = single["action"], action != "export", !action.isEmpty {
            throw Problem(.notPermitted, "Data are only read here.")
        }
    }

    /// A text; nil where it is absent or blank.
    subscript(name: String) -> String? { single[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// `true`, `1` in any writing; anything else that is not false is refused.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false", "0": return false
        case "true", "1": return true
        default: throw invalid(name)
        }
    }

    /// One of these words; the first where it is absent.
    func word<Value>(_ name: String, _ words: KeyValuePairs<String, Value>, otherwise: Value) throws(Problem)
        -> Value
    {
        guard let text = self[name] else { return otherwise }
        guard let found = words.first(where: { $0.key == text }) else { throw invalid(name) }
        return found.value
    }

    /// `a[0]=x&a[1]=y`, or `a=x,y`; nil where there is none of it.
    func list(_ name: String) throws(Problem) -> [String]? {
        var values = (lists[name] ?? []).sorted { $0.place < $1.place }.map(\.value)
        values += (self[name] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        values.removeAll(where: \.isEmpty)
        guard values.count <= Self.maximumList else {
            throw Problem(
                .requestInvalid, "The parameter \"\(name)\" has more than \(Self.maximumList) values.")
        }
        return values.isEmpty ? nil : values
    }

    /// A list of which every value must be one of these.
    func list(_ name: String, of allowed: Set<String>) throws(Problem) -> [String]? {
        guard let values = try list(name) else { return nil }
        let strange = values.filter { !allowed.contains($0) }
        guard strange.isEmpty else {
            let words = strange.prefix(10).map { "'\($0.prefix(60))'" }.joined(separator: ", ")
            throw Problem(
                .requestInvalid, "The following values in the parameter \"\(name)\" are not valid: \(words)")
        }
        return values
    }

    /// `2026-11-21 08:00:00` or `2026-11-21 08:00`, in UTC.
    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = self[name] else { return nil }
        let seconds = text.utf8.count == 16 ? text + ":00" : text
        guard let instant = Instant(seconds.replacing(" ", with: "T") + "Z") else { throw invalid(name) }
        return instant
    }

    /// What would change the meaning of a reply, and is not done here.
    func refuse(_ names: String...) throws(Problem) {
        for name in names where self[name] != nil {
            throw Problem(.requestInvalid, "The parameter \"\(name)\" is not supported.")
        }
    }

    private func invalid(_ name: String) -> Problem {
        Problem(.requestInvalid, "The value of the parameter \"\(name)\" is not valid")
    }
}

extension REDCapSelection {
    /// From the parameters of `content=record`. Throws `request-invalid` for what the project does not have.
    init(_ parameters: REDCapParameters, _ project: REDCapProject) throws(Problem) {
        self.init()
        try parameters.refuse("filterLogic")
        if try parameters.flag("combineCheckboxOptions") { try parameters.refuse("combineCheckboxOptions") }
        if let character = parameters["decimalCharacter"], character != "." {
            try parameters.refuse("decimalCharacter")
        }
        records = try parameters.list("records")
        fields = try parameters.list("fields", of: Set(project.fields.map(\.name)))
        forms = try parameters.list("forms", of: Set(project.forms.map(\.name)))
        events = try parameters.list("events", of: Set(project.events.map(\.uniqueName)))
        let (from, to) = (try parameters.instant("dateRangeBegin"), try parameters.instant("dateRangeEnd"))
        if from != nil || to != nil { changed = (from ?? .minimum, to ?? .maximum) }
        shape = try parameters.word("type", ["flat": .flat, "eav": .values], otherwise: .flat)
        tellsLabels = try parameters.word("rawOrLabel", ["raw": false, "label": true], otherwise: false)
        tellsHeaderLabels = try parameters.word(
            "rawOrLabelHeaders", ["raw": false, "label": true], otherwise: false)
        tellsBoxLabels = try parameters.flag("exportCheckboxLabel")
        tellsReasons = try parameters.flag("exportMissingDataCodes")
    }
}
