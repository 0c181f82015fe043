import SaunterCore
import SaunterEvaluation
import SaunterServer

/// The fields of a REDCap request. Unknown fields are rejected, because a misspelt filter would silently return all
/// records.
struct REDCapParameters {
    /// The maximum number of values in a list.
    private static let maximumList = 10_000

    private static let known: Set<String> = [
        "content", "format", "returnFormat", "type", "action", "records", "fields", "forms", "events", "arms",
        "field", "rawOrLabel", "rawOrLabelHeaders", "exportCheckboxLabel", "exportMissingDataCodes",
        "dateRangeBegin", "dateRangeEnd", "csvDelimiter", "filterLogic", "decimalCharacter", "eventName",
        "exportSurveyFields", "exportDataAccessGroups", "exportBlankForGrayFormStatus",
        "combineCheckboxOptions", "exportFiles", "returnMetadataOnly", "submit",
    ]

    private var single: [String: String] = [:]
    private var lists: [String: [(index: Int, value: String)]] = [:]

    /// Throws `request-invalid`, and `not-permitted` for an action other than `export`.
    init(_ body: JSON) throws(Problem) {
        for member in body.object ?? [:] {
            let value = member.value.string ?? ""
            let name = String(member.name.prefix { $0 != "[" })
            guard Self.known.contains(name) else {
                throw Problem(
                    .requestInvalid,
                    "The parameter \"\(name.prefix(40))\" is not supported. This API only exports data.")
            }
            guard name.utf8.count < member.name.utf8.count else {
                single[name] = value
                continue
            }
            let bracket = member.name.dropFirst(name.count + 1)
            guard bracket.last == "]", let index = bracket.count == 1 ? 0 : Int(bracket.dropLast()),
                index >= 0
            else {
                throw Problem(
                    .requestInvalid,
                    "The index of the parameter \"\(name)\" must be a whole number that is not negative.")
            }
            lists[name, default: []].append((index, value))
        }
        if let action = single["action"], action != "export", !action.isEmpty {
            throw Problem(.notPermitted, "This API only exports data.")
        }
    }

    /// The value of a field; nil if it is absent or empty.
    subscript(name: String) -> String? { single[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A Boolean: `true`, `1`, `false` or `0`, in lower or upper case; false if it is absent.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name]?.lowercased() {
        case nil, "false", "0": return false
        case "true", "1": return true
        default: throw invalid(name)
        }
    }

    /// The value of one of these words; `fallback` if the field is absent.
    func word<Value>(_ name: String, _ words: KeyValuePairs<String, Value>, default fallback: Value)
        throws(Problem)
        -> Value
    {
        guard let text = self[name] else { return fallback }
        guard let found = words.first(where: { $0.key == text }) else { throw invalid(name) }
        return found.value
    }

    /// The values of `a[0]=x&a[1]=y` or `a=x,y`; nil if there are none.
    func list(_ name: String) throws(Problem) -> [String]? {
        var values = (lists[name] ?? []).sorted { $0.index < $1.index }.map(\.value)
        values += (self[name] ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        values.removeAll(where: \.isEmpty)
        guard values.count <= Self.maximumList else {
            throw Problem(
                .requestInvalid, "The parameter \"\(name)\" has more than \(Self.maximumList) values.")
        }
        return values.isEmpty ? nil : values
    }

    /// A list whose values must all be in `allowed`.
    func list(_ name: String, of allowed: Set<String>) throws(Problem) -> [String]? {
        guard let values = try list(name) else { return nil }
        let unknown = values.filter { !allowed.contains($0) }
        guard unknown.isEmpty else {
            let words = unknown.prefix(10).map { "'\($0.prefix(60))'" }.joined(separator: ", ")
            throw Problem(
                .requestInvalid, "The following values in the parameter \"\(name)\" are not valid: \(words)")
        }
        return values
    }

    /// An instant: `2026-11-21 08:00:00` or `2026-11-21 08:00`, in UTC.
    func instant(_ name: String) throws(Problem) -> Instant? {
        guard let text = self[name] else { return nil }
        let seconds = text.utf8.count == 16 ? text + ":00" : text
        guard let instant = Instant(seconds.replacing(" ", with: "T") + "Z") else { throw invalid(name) }
        return instant
    }

    /// Rejects parameters that are not implemented and would change the meaning of the reply.
    func reject(_ names: String...) throws(Problem) {
        for name in names where self[name] != nil {
            throw Problem(.requestInvalid, "The parameter \"\(name)\" is not supported.")
        }
    }

    private func invalid(_ name: String) -> Problem {
        Problem(.requestInvalid, "The value of the parameter \"\(name)\" is not valid.")
    }
}

extension REDCapSelection {
    /// The selection that the parameters of `content=record` describe. Throws `request-invalid` for names that the
    /// project does not have.
    init(_ parameters: REDCapParameters, _ project: REDCapProject) throws(Problem) {
        self.init()
        try parameters.reject("filterLogic")
        if try parameters.flag("combineCheckboxOptions") { try parameters.reject("combineCheckboxOptions") }
        if let character = parameters["decimalCharacter"], character != "." {
            try parameters.reject("decimalCharacter")
        }
        records = try parameters.list("records")
        fields = try parameters.list("fields", of: Set(project.fields.map(\.name)))
        forms = try parameters.list("forms", of: Set(project.forms.map(\.name)))
        events = try parameters.list("events", of: Set(project.events.map(\.uniqueName)))
        let (from, to) = (try parameters.instant("dateRangeBegin"), try parameters.instant("dateRangeEnd"))
        if from != nil || to != nil { changed = (from ?? .minimum, to ?? .maximum) }
        shape = try parameters.word("type", ["flat": .flat, "eav": .values], default: .flat)
        usesLabels = try parameters.word("rawOrLabel", ["raw": false, "label": true], default: false)
        usesHeaderLabels = try parameters.word(
            "rawOrLabelHeaders", ["raw": false, "label": true], default: false)
        usesCheckboxLabels = try parameters.flag("exportCheckboxLabel")
        includesReasons = try parameters.flag("exportMissingDataCodes")
    }
}
