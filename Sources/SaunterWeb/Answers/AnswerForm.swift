import Foundation
import SaunterCore
import SaunterServer

/// One document with questions: which sheet it becomes, and the fields that were filled in.
struct AnswerForm {
    /// The id of the sheet. The document keeps it, so that sending it twice stores it once.
    let sheet: String
    let questionnaire: String
    let occasion: String?
    let refersTo: String?
    /// The version of the questionnaire that the participant began to answer; nil for a new document.
    let version: String?
    /// When the participant opened the document first; nil for a new one.
    let startedAt: String?
    private(set) var fields: JSONObject
    /// The linkIds of the items that the document showed.
    let seen: Set<String>
    /// The entity tag of the stored sheet, if the document corrects one.
    let revisedTag: String?
    /// Whether nothing has been filled in yet.
    let isNew: Bool
    private let stored: JSONObject?

    /// A new document.
    init(occasion: String? = nil, questionnaire: String, refersTo: String? = nil) {
        sheet = Self.makeID()
        self.questionnaire = questionnaire
        self.occasion = occasion
        self.refersTo = refersTo
        version = nil
        startedAt = nil
        fields = [:]
        seen = []
        revisedTag = nil
        isNew = true
        stored = nil
    }

    /// A document that was sent.
    init(_ request: PageRequest, occasion: String?) {
        self.init(request.call.body.object ?? [:], occasion: occasion)
    }

    /// A document that was sent, or that a device kept until it could be sent.
    init(_ fields: JSONObject, occasion: String?) {
        func field(_ name: String) -> String { fields[name]?.string ?? "" }
        let id = field("sheet_id")
        sheet = SheetID(id) == nil ? Self.makeID() : id
        questionnaire = field("questionnaire")
        self.occasion = occasion
        refersTo = field("refers_to").isEmpty ? nil : field("refers_to")
        version = field("version")
        startedAt = field("started_at")
        self.fields = fields
        seen = Set(field("shown").split(separator: " ").map(String.init))
        revisedTag = field("revision_of").isEmpty ? nil : field("revision_of")
        isNew = false
        stored = nil
    }

    /// The document of a stored sheet.
    init(correcting sheet: JSON, tag: String) {
        self.sheet = sheet["sheet_id"]?.string ?? ""
        questionnaire = sheet["questionnaire"]?.string ?? ""
        occasion = nil
        refersTo = nil
        version = sheet["version"]?.string
        startedAt = sheet["started_at"]?.string
        fields = [:]
        seen = []
        revisedTag = tag
        isNew = true
        stored = sheet["answers"]?.object
    }

    /// The answers that a new document begins with: those of the stored sheet, otherwise the initial values.
    func initialAnswers(of items: [JSON]) -> JSONObject {
        if let stored { return stored }
        var answers = JSONObject()
        func collect(_ items: [JSON]) {
            for item in items {
                if let initial = item["initial"], let linkId = item["linkId"]?.string {
                    answers[linkId] = initial
                }
                if item["repeats"]?.bool != true { collect(item["item"]?.array ?? []) }
            }
        }
        collect(items)
        return answers
    }

    /// The body of the submission.
    /// - Parameters:
    ///   - language: the language of the document, if it does not state its own.
    ///   - zone: the zone of the enrolment, if the device does not state its own.
    func body(_ read: AnswerFields, language: String? = nil, zone: String, now: Instant) -> JSON {
        // With script, the times are those of the device, which also states what its clock shows now.
        let completed = fields["completed_at"]?.instant ?? now
        let started = min(startedAt.flatMap { Instant($0) } ?? completed, completed)
        let clientNow = fields["completed_at"] == nil ? now : fields["client_now"]?.instant ?? now
        let ownZone = fields["time_zone"]?.string.flatMap { Zone($0) }?.id
        var body: JSONObject = [
            "questionnaire": .string(questionnaire), "version": .string(fields["version"]?.string ?? ""),
            "started_at": .string(started.description), "completed_at": .string(completed.description),
            "client_now": .string(clientNow.description), "time_zone": .string(ownZone ?? zone),
            "answers": .object(read.answers),
        ]
        let ownLanguage = fields["language"]?.string ?? ""
        body["language"] = (ownLanguage.isEmpty ? language : ownLanguage).map(JSON.string)
        // The script records how long each question took, and in which order it showed the options.
        body["timings"] = recorded("timings")
        body["presented"] = recorded("presented")
        if !seen.isEmpty { body["shown"] = .array(seen.sorted().map(JSON.string)) }
        if let occasion { body["occasion_id"] = .string(occasion) }
        if let refersTo { body["refers_to"] = .string(refersTo) }
        if !read.reasons.isEmpty { body["reasons"] = .object(read.reasons) }
        return .object(body)
    }

    /// A field that contains JSON; nil if it is absent or cannot be read.
    private func recorded(_ name: String) -> JSON? {
        guard let text = fields[name]?.string, !text.isEmpty else { return nil }
        do {
            return try JSONReader.read(text)
        } catch {
            // The record is about how the participant answered. Without it, the answers are still complete.
            return nil
        }
    }

    /// Whether the participant asked to add or remove an instance of a repeating group instead of sending the answers.
    var changesInstances: Bool { grownGroup != nil || fields.contains { $0.name.hasPrefix(Self.removal) } }

    /// The repeating group for which the participant asked for another instance.
    var grownGroup: String? {
        fields.first { $0.name.hasPrefix(Self.addition) }.map {
            String($0.name.dropFirst(Self.addition.count))
        }
    }

    /// Removes the answers of the instance that the participant does not want to keep: `drop.meals.1`.
    mutating func removeInstance() {
        guard let name = fields.first(where: { $0.name.hasPrefix(Self.removal) })?.name else { return }
        let prefix = "a.\(name.dropFirst(Self.removal.count))."
        fields = JSONObject(fields.filter { !$0.name.hasPrefix(prefix) })
    }

    private static let addition = "grow."
    private static let removal = "drop."

    /// A new id whose beginning is the time (UUID version 7), as apps make it.
    static func makeID() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let milliseconds = UInt64(Date().timeIntervalSince1970 * 1000)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index)) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Hex.encode(bytes)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(hex.dropFirst(range.lowerBound).prefix(range.count))
        }
        return parts.joined(separator: "-")
    }
}
