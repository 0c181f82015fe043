import SaunterCore

/// The columns of `vectors.csv`: `case`, one column per question, `covariate.<id>` for covariates that are not items,
/// and `score.<scale>`, `band.<scale>`, `reason.<scale>` and `exclusion.<scale>`.
struct VectorColumns {
    private let columns: [String: Int]
    private let questions: [Item]
    private let covariates: [Covariate]

    /// Returns nil, with faults, if a column is missing, unknown or duplicated. Only `case`, the questions and `score`
    /// are required.
    init?(_ header: [String], _ questionnaire: Questionnaire, _ log: FaultLog) {
        let scales = questionnaire.scoring?.scales.map(\.id) ?? []
        let needed =
            ["case"] + questionnaire.questions.filter(\.type.isQuestion).map(\.linkId)
            + scales.map { "score.\($0)" }
        let given = (questionnaire.scoring?.covariates ?? []).filter(\.isGiven)
        let known =
            needed + scales.flatMap { ["band.\($0)", "reason.\($0)", "exclusion.\($0)"] }
            + given.map { "covariate.\($0.id)" }
        var isComplete = true
        func note(_ message: String) {
            isComplete = false
            log.note(1, message)
        }
        guard header.count <= known.count * 2 + 10 else {
            log.note(1, "there are \(header.count) columns, but at most \(known.count) columns are known")
            return nil
        }
        for name in header where !known.contains(name) {
            let hint = suggestion(for: name, among: known)
            note("\"\(name.prefix(60))\" is neither an item nor a column of a scale\(hint)")
        }
        for name in needed where !header.contains(name) { note("the column \"\(name)\" is missing") }
        if Set(header).count < header.count { note("a column occurs twice") }
        guard isComplete else { return nil }
        columns = Dictionary(header.enumerated().map { ($1, $0) }) { first, _ in first }
        // One field cannot contain the instances of a group, and scores do not use them.
        questions = questionnaire.questions.filter(\.type.isQuestion)
        covariates = given
    }

    /// The name of the case.
    func name(_ record: CSVRecord) -> String { field("case", record) }

    /// The answers in the JSON form of an answer sheet. An empty field is a blank, and `|` separates several options.
    func answers(_ record: CSVRecord) -> JSONObject {
        var answers = JSONObject()
        for item in questions {
            let text = field(item.linkId, record)
            if !text.isEmpty { answers[item.linkId] = Self.value(text, of: item) }
        }
        return answers
    }

    /// The covariate values of the case. An empty field means that the value is not known.
    func covariates(_ record: CSVRecord) -> [String: CovariateValue] {
        var values: [String: CovariateValue] = [:]
        for covariate in covariates {
            let text = field("covariate.\(covariate.id)", record)
            if text.isEmpty { continue }
            values[covariate.id] =
                covariate.codes.isEmpty ? Double(text).map { .number($0) } : .code(text)
        }
        return values
    }

    /// Reports each difference between the score and the expected values.
    func compare(_ score: Score, _ record: CSVRecord, _ log: FaultLog) {
        func fault(_ what: String, _ found: String?, _ expected: String, note: String = "") {
            log.note(
                record.line,
                "case \"\(name(record))\": \(what).\(score.scale) is \(found ?? "empty"), expected "
                    + (expected.isEmpty ? "empty" : expected) + note)
        }
        let expected = field("score.\(score.scale)", record)
        if expected.isEmpty ? score.value != nil : !Self.isSame(score.value, expected) {
            let note = score.value == nil || expected.isEmpty ? "" : " ± \(Self.toleranceText)"
            fault("score", score.value.map { JSONNumber($0).literal }, expected, note: note)
        }
        let band = field("band.\(score.scale)", record)
        if score.band ?? "" != band { fault("band", score.band, band) }
        let reason = field("reason.\(score.scale)", record)
        if score.reason?.rawValue ?? "" != reason { fault("reason", score.reason?.rawValue, reason) }
        let exclusion = field("exclusion.\(score.scale)", record)
        if columns["exclusion.\(score.scale)"] != nil, score.exclusion ?? "" != exclusion {
            fault("exclusion", score.exclusion, exclusion)
        }
    }

    private func field(_ name: String, _ record: CSVRecord) -> String {
        columns[name].map { record.fields[$0] } ?? ""
    }

    private static let tolerance = 1e-9
    private static let toleranceText = "1e-9"

    /// Compares with a tolerance of 1e-9, relative to values above 1, because the table contains decimal fractions.
    private static func isSame(_ value: Double?, _ expected: String) -> Bool {
        guard let value, let expected = Double(expected) else { return false }
        return (value - expected).magnitude <= tolerance * max(1, expected.magnitude)
    }

    private static func value(_ text: String, of item: Item) -> JSON {
        guard item.repeats || item.type.form == .ranking else { return single(text, of: item) }
        return .array(
            text.split(separator: "|", omittingEmptySubsequences: false).map { single(String($0), of: item) })
    }

    private static func single(_ text: String, of item: Item) -> JSON {
        switch item.type.form {
        case .truth: return text == "true" ? true : text == "false" ? false : .string(text)
        case .number where item.type.hasUnits:
            let parts = text.split(separator: " ", maxSplits: 1)
            guard let value = parts.first.flatMap({ Double($0) }) else { return .string(text) }
            return parts.count == 1
                ? .double(value) : ["value": .double(value), "unit": .string(String(parts[1]))]
        case .number:
            let number =
                item.type.definition.isWhole ? Int(text).map(JSON.int) : Double(text).map(JSON.double)
            return number ?? .string(text)
        case .options:
            let isFreeText =
                item.type.acceptsFreeText && !item.answerOption.contains { $0.value.text == text }
            return isFreeText ? ["other": .string(text)] : option(text, of: item)
        case .ranking: return option(text, of: item)
        case .location: return location(text)
        case .nothing, .text, .moment: return .string(text)
        }
    }

    /// A location such as `52.52 13.41`, optionally followed by the accuracy.
    private static func location(_ text: String) -> JSON {
        let numbers = text.split(separator: " ").map { Double($0) }
        guard (2...3).contains(numbers.count), let latitude = numbers[0], let longitude = numbers[1] else {
            return .string(text)
        }
        var object: JSONObject = ["lat": .double(latitude), "lon": .double(longitude)]
        if numbers.count == 3 { object["accuracy_m"] = numbers[2].map(JSON.double) ?? .string(text) }
        return .object(object)
    }

    /// The option as a number if the item's options are numbers.
    private static func option(_ text: String, of item: Item) -> JSON {
        item.answerOption.first?.value.isNumber == true
            ? Int(text).map { .int($0) } ?? .string(text) : .string(text)
    }
}

extension Covariate {
    /// Whether the caller of the scoring engine passes the value.
    fileprivate var isGiven: Bool {
        if case .item = source { false } else { true }
    }
}
