import Foundation
import SaunterCore
import SaunterServer

/// The values of the form for a message to many participants, and of the question before it is sent.
struct BroadcastForm {
    /// The states by which participants are chosen, as in the list of participants.
    static let states = ["finished", "never_started", "unreachable", "unsent"]
    /// The seconds after which the message is sent, by name.
    static let delays: [(name: String, seconds: Int)] = [
        ("now", 0), ("minutes", 15 * 60), ("hour", 3600), ("day", 86_400),
    ]
    static let (maximumSubject, maximumBody) = (200, 10_000)
    /// The largest number of pseudonyms in one audience.
    static let maximumParticipants = 1000

    /// The words in one language.
    struct Text {
        let language: String
        let subject: String
        let body: String

        var isEmpty: Bool { subject.isEmpty && body.isEmpty }
    }

    /// A chosen arm; empty for all.
    let arm: String
    /// A value of `states`; empty for all.
    let state: String
    /// A name of `delays`.
    let delay: String
    /// The words in all languages of the study.
    let texts: [Text]
    /// The id of the broadcast, by which the server recognises a form that is sent twice; empty before the question.
    var id = ""
    /// The pseudonyms that the state has selected; empty for a choice without a state.
    var participants: [String] = []
    /// When it is sent; empty for at once.
    var notBefore = ""
    /// The number of recipients, and of those who have paused.
    var (recipients, paused) = (0, 0)

    /// - Parameters:
    ///   - field: the value of a field; empty if it is absent.
    ///   - languages: the languages of the study.
    init(languages: [String], field: (String) -> String) {
        // Browsers send line breaks as CR LF, and people leave blanks at the end.
        func typed(_ name: String) -> String {
            field(name).replacing("\r\n", with: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        (arm, state) = (field("arm"), field("state"))
        delay = field("delay").isEmpty ? "now" : field("delay")
        texts = languages.map {
            Text(language: $0, subject: typed("subject_\($0)"), body: typed("body_\($0)"))
        }
        id = field("broadcast_id")
        participants = field("participants").split(separator: " ").map(String.init)
        notBefore = field("not_before")
        (recipients, paused) = (Int(field("recipients")) ?? 0, Int(field("paused")) ?? 0)
    }

    /// The words that are not empty.
    var filled: [Text] { texts.filter { !$0.isEmpty } }

    /// Adds the faults of the fields.
    func check(_ faults: inout FormFaults, _ words: Words.Language) {
        func fault(_ name: String, _ text: Text, _ field: String, _ values: [String: String] = [:]) {
            let language = LanguageName.text(text.language, in: words.code)
            faults.add(
                words.text("broadcasts", name, values.merging(["language": language]) { $1 }),
                field: "\(field)_\(text.language)")
        }
        for text in filled {
            if text.subject.isEmpty { fault("fault_subject", text, "subject") }
            if text.body.isEmpty { fault("fault_body", text, "body") }
            if text.subject.contains(where: \.isNewline)
                || text.subject.unicodeScalars.count > Self.maximumSubject
            {
                fault("fault_subject_length", text, "subject", ["most": String(Self.maximumSubject)])
            }
            if text.body.unicodeScalars.count > Self.maximumBody {
                fault("fault_body_length", text, "body", ["most": String(Self.maximumBody)])
            }
        }
        if filled.isEmpty, let first = texts.first {
            faults.add(words.text("broadcasts", "fault_empty"), field: "subject_\(first.language)")
        }
        if !state.isEmpty, !Self.states.contains(state) {
            faults.add(words.text("broadcasts", "fault_choice"), field: "state")
        }
        if !Self.delays.contains(where: { $0.name == delay }) {
            faults.add(words.text("broadcasts", "fault_choice"), field: "delay")
        }
    }

    /// When the message is sent if it is confirmed now; empty for at once.
    func moment(at now: Instant) -> String {
        let seconds = Self.delays.first { $0.name == delay }?.seconds ?? 0
        return seconds == 0 ? "" : now.adding(seconds: seconds).description
    }

    // MARK: The request

    /// Who gets it, for the API.
    var audience: JSON {
        if !state.isEmpty { return ["participants": .array(participants.map(JSON.string))] }
        return arm.isEmpty ? ["all": true] : ["arms": [.string(arm)]]
    }

    /// The body of the request that sends it.
    var body: JSON {
        var texts = JSONObject()
        for text in filled {
            texts[text.language] = ["subject": .string(text.subject), "body": .string(text.body)]
        }
        var body: JSONObject = ["audience": audience, "words": .object(texts)]
        if !notBefore.isEmpty { body["not_before"] = .string(notBefore) }
        return .object(body)
    }

    /// The values of the form as hidden fields of the question.
    var hidden: [[String: String]] {
        var fields = [
            ("arm", arm), ("state", state), ("delay", delay), ("broadcast_id", id),
            ("participants", participants.joined(separator: " ")), ("not_before", notBefore),
            ("recipients", String(recipients)), ("paused", String(paused)),
        ]
        for text in texts {
            fields += [("subject_\(text.language)", text.subject), ("body_\(text.language)", text.body)]
        }
        return fields.map { ["name": $0.0, "value": $0.1] }
    }
}
