import SaunterCore
import SaunterStore

/// What a caller sees of the rules and variables of a study. A caller from whom arms are hidden sees no text that names
/// an arm, and no value that follows from the arm (docs/decisions/0054).
struct RuleVisibility: Sendable {
    /// Nil if the caller sees everything.
    private let mentions: ArmMentions?
    private let variables: Set<String>

    /// - Parameter study: the version of the study whose rules are shown.
    init(_ arms: ArmView, _ study: Study) {
        mentions = arms.hiddenCodes.map { ArmMentions($0, titlesOf: study) }
        variables = mentions.map { study.variablesReadingArms($0) } ?? []
    }

    /// Whether a code or another text names an arm that is hidden from the caller.
    func isHidden(_ text: String) -> Bool { mentions?.isNamed(in: text) ?? false }

    /// Whether a text in the value names an arm that is hidden from the caller.
    func isHidden(_ value: JSON) -> Bool { mentions?.isNamed(inTextsOf: value) ?? false }

    /// Whether the values of a variable are hidden from the caller.
    /// - Parameter name: the id, or the id with a member such as `area.stress`.
    func hidesValues(of name: String) -> Bool { variables.contains(String(name.prefix { $0 != "." })) }

    /// A part of a name that the server made of codes. It is a question mark if it names a hidden arm.
    func name(_ text: String) -> JSON { .string(isHidden(text) ? "?" : text) }

    /// The member that lists what is null for this reason.
    static let hiddenMember = Schema.Member.required(
        "hidden", .array(of: .string()),
        """
        JSON pointers to the members that are null because they name or follow from the arm, which is hidden from the \
        caller.
        """)
}

/// The members of one object that are hidden from the caller.
struct HiddenMembers {
    let visibility: RuleVisibility
    private(set) var pointers: [String] = []

    init(_ visibility: RuleVisibility) { self.visibility = visibility }

    /// The value; null if it names an arm.
    /// - Parameter source: the texts of which the value is made; nil for the value itself.
    mutating func visible(_ value: JSON, at pointer: String, of source: JSON? = nil) -> JSON {
        guard visibility.isHidden(source ?? value) else { return value }
        pointers.append(pointer)
        return .null
    }

    /// The values of variables. A variable whose name names an arm is left out.
    mutating func visible(_ variables: JSONObject, at pointer: String) -> JSON {
        var found = JSONObject()
        for member in variables where !visibility.isHidden(member.name) {
            let isHidden = visibility.hidesValues(of: member.name) || visibility.isHidden(member.value)
            if isHidden { pointers.append("\(pointer)/\(member.name)") }
            found[member.name] = isHidden ? .null : member.value
        }
        return .object(found)
    }

    /// The member `hidden`.
    var json: JSON { .strings(pointers) }
}

extension ServerContext {
    /// The live version of the study in the path, and what the caller sees of its rules and variables.
    /// - Throws: `not-found`.
    func visibleStudy(_ call: Call<Identity>) async throws -> (study: Study, visibility: RuleVisibility) {
        guard let live = try await catalogue.findLive(call.text("study")) else { throw Problem(.notFound) }
        let study = live.published.study
        return (study, RuleVisibility(try await armView(of: study.code, for: call.caller), study))
    }
}
