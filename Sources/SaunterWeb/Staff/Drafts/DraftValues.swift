import SaunterCore

/// A value in a file of a draft that a form changes.
struct DraftValue: Hashable {
    /// How a form shows a value, and what JSON value it becomes.
    enum Kind: String {
        case text, time, duration, date, number, boolean, code, channels
    }

    let file: String
    /// A JSON Pointer into the file.
    let pointer: String
    /// Empty for a value that the file does not have yet.
    var text: String
    var kind = Kind.text

    /// The name of the value, the same for the same place in the files.
    var key: String { "\(file)#\(pointer)" }

    /// The text of a JSON value as a form shows it; nil for a list or an object.
    static func text(of value: JSON?) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .number: value?.text
        case nil, .null: ""
        case .array, .object: nil
        }
    }

    /// The channels of a text such as `push, mail`.
    static func channels(_ text: String) -> [String] {
        text.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// The JSON value of a text that was typed. The server reports a text that is no value of the kind.
    func json(_ text: String) -> JSON {
        switch kind {
        case .number: Int(text.filter { !$0.isWhitespace }).map(JSON.int) ?? .string(text)
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        case .time, .duration, .date, .code: .string(text.filter { !$0.isWhitespace })
        case .channels: .array(Self.channels(text).map(JSON.string))
        case .text: .string(text)
        }
    }
}

/// What a form with values of a draft sent. Beside each value it has the value from which the form began. Thus only
/// values that the visitor changed are saved, and a change by another editor in the meantime is noticed.
struct DraftValuesForm {
    /// The beginning of the name of a field with a value, and of the hidden field with the value before.
    static let (valuePrefix, beforePrefix) = ("value:", "before:")
    /// The beginning of the name of a field with one part of a list, such as `part:0:file#/reminder/channels`.
    private static let partPrefix = "part:"

    /// The name of the field with one part of a list.
    static func name(ofPart index: Int, of key: String) -> String { "\(partPrefix)\(index):\(key)" }

    /// A field of the form.
    struct Field: Equatable {
        let key: String
        let before: String
        let typed: String
    }

    /// What happens to the values.
    struct Outcome {
        /// The changes to save.
        var changes: [(value: DraftValue, typed: String)] = []
        /// Typed values whose value was changed in the meantime, or is no longer in the draft. `now` is nil then.
        var conflicts: [(field: Field, now: String?)] = []
    }

    let fields: [Field]

    /// - Parameter body: the fields of the request: an object of strings.
    init(_ body: JSON) {
        let members = body.object.map(Array.init) ?? []
        let all = Dictionary(
            members.map { ($0.name, $0.value.string ?? "") }, uniquingKeysWith: { first, _ in first })
        fields = members.compactMap { member in
            let key: String
            let typed: String
            if member.name.hasPrefix(Self.valuePrefix) {
                key = String(member.name.dropFirst(Self.valuePrefix.count))
                typed = member.value.string ?? ""
            } else if member.name.hasPrefix(Self.name(ofPart: 0, of: "")) {
                // A list has a field for each of its parts. An empty part is left out.
                key = String(member.name.dropFirst(Self.name(ofPart: 0, of: "").count))
                guard all[Self.valuePrefix + key] == nil else { return nil }
                let parts = (0...).lazy.map { all[Self.name(ofPart: $0, of: key)] }.prefix { $0 != nil }
                typed = parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
            } else {
                return nil
            }
            return Field(
                key: key, before: Self.plain(all[Self.beforePrefix + key] ?? ""), typed: Self.plain(typed))
        }
    }

    /// Browsers send line ends as CR LF.
    static func plain(_ text: String) -> String { text.replacing("\r\n", with: "\n") }

    /// Compares the form with the values that the draft has now.
    func outcome(now values: [DraftValue]) -> Outcome {
        let current = Dictionary(values.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var outcome = Outcome()
        for field in fields where field.typed != field.before {
            guard let value = current[field.key] else {
                outcome.conflicts.append((field, nil))
                continue
            }
            let now = Self.plain(value.text)
            if now == field.typed { continue }
            if now == field.before {
                outcome.changes.append((value, field.typed))
            } else {
                outcome.conflicts.append((field, now))
            }
        }
        return outcome
    }

    /// The texts to show in the form: what the visitor changed, and the current values of the rest.
    func shown(now values: [DraftValue]) -> [String: String] {
        var shown = Dictionary(
            values.map { ($0.key, Self.plain($0.text)) }, uniquingKeysWith: { first, _ in first })
        for field in fields where field.typed != field.before { shown[field.key] = field.typed }
        return shown
    }
}
