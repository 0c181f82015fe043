import SaunterCore
import SaunterServer

/// The form that creates a study.
struct NewStudyForm: Equatable {
    /// The names of the fields, which are those of the route.
    private static let fields = ["study", "title", "language", "time_zone", "days"]
    private static let days = 1...Study.maximumDays
    /// The languages that the field suggests. The first two have words for all pages. Any other tag is accepted,
    /// because the language is that of the study's own texts.
    private static let suggestions = ["en", "de", "ar", "es", "fr", "it", "nl", "pl", "pt", "sv", "tr", "uk"]

    private let values: [String: String]

    /// - Parameter value: the text of a field; empty if it is absent.
    init(_ value: (String) -> String) {
        values = Dictionary(uniqueKeysWithValues: Self.fields.map { ($0, value($0)) })
    }

    init(_ request: PageRequest) {
        self.init { request.field($0) }
    }

    /// The form before it is filled in.
    init(languageOf request: PageRequest) {
        self.init(["language": request.words.code, "time_zone": "Europe/Berlin", "days": "14"])
    }

    private init(_ values: [String: String]) {
        self.values = values
    }

    private func text(_ field: String) -> String {
        let text = values[field] ?? ""
        return String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    var code: String { text("study").lowercased() }

    var body: JSON {
        [
            "study": .string(code), "title": .string(text("title")), "language": .string(text("language")),
            "time_zone": .string(text("time_zone")), "days": .int(Int(text("days")) ?? 0),
        ]
    }

    /// The faults that need no server.
    func faults(_ words: Words.Language) -> FormFaults {
        var faults = FormFaults(words)
        if code.isEmpty || !(code.wholeMatch(of: /[a-z][a-z0-9-]{0,39}/) != nil) {
            faults.add(words.text("new_study", "fault_study"), field: "study")
        }
        if text("title").isEmpty { faults.add(words.text("new_study", "fault_title"), field: "title") }
        if text("language").isEmpty {
            faults.add(words.text("new_study", "fault_language"), field: "language")
        }
        if text("time_zone").isEmpty {
            faults.add(words.text("new_study", "fault_time_zone"), field: "time_zone")
        }
        if !Self.days.contains(Int(text("days")) ?? 0) {
            faults.add(
                words.text("new_study", "fault_days", ["most": String(Self.days.upperBound)]), field: "days")
        }
        return faults
    }

    /// Adds the faults of the route.
    func add(_ problem: Problem, to faults: inout FormFaults, _ words: Words.Language) {
        guard !problem.faults.isEmpty else { return faults.add(problem.lines[0], field: nil) }
        for fault in problem.faults {
            let field = String(fault.pointer.dropFirst())
            guard Self.fields.contains(field) else {
                faults.add(fault.detail, field: nil)
                continue
            }
            let title = words.text("new_study", field == "title" ? "name" : field)
            faults.add("\(title): \(fault.detail)", field: field)
        }
    }

    /// The model of the form in the template `staff`.
    func model(_ words: Words.Language, isOpen: Bool) -> [String: Any] {
        let languages = Self.suggestions.map { ["code": $0, "name": LanguageName.text($0, in: words.code)] }
        return [
            "study": values["study"] ?? "", "title": values["title"] ?? "", "days": values["days"] ?? "",
            "language": values["language"] ?? "", "languages": languages,
            "zones": EnrolmentChoices.zones(selected: text("time_zone")),
            "open": isOpen,
        ]
    }
}
