import Console
import Foundation
import SaunterCore
import SaunterPacks

/// The made-up participant of `saunter rules`.
struct RulePerson {
    let facts: RuleFacts
    /// linkId -> value until the first sheet of its questionnaire.
    let settings: [String: JSON]

    private static let instant = Schema.string(format: .dateTime)

    /// The members that differ from those of `ParticipantHistory`.
    private static let schema = Schema.object([
        .required("enrolled_at", instant), .required("time_zone", .zone),
        .optional("arm", .string(minLength: 1, maxLength: 200)),
        .optional("enrolment_id", .string(format: .uuid)),
        .optional("seed", .string(minLength: 2, maxLength: 128)), .optional("settings", .map(of: .any)),
        .optional(
            "zones",
            .array(of: .object([.required("from", instant), .required("time_zone", .zone)]), max: 1000)),
        .optional("sheets", .array(of: .any, max: 100_000)),
        .optional("events", .array(of: .any, max: 1000)), .optional("usage", .array(of: .any, max: 100_000)),
        .optional("walks", .array(of: .any, max: 100_000)), .optional("breaks", .array(of: .any, max: 1000)),
        .optional("observations", .array(of: .any, max: 100_000)),
        .optional("occasions", .array(of: .any, max: 100_000)),
        .optional(
            "publications",
            .array(
                of: .object([
                    .required("collection", .string(minLength: 1, maxLength: 200)),
                    .required("edition", .integer(min: 1)),
                    .required("item", .string(minLength: 1, maxLength: 200)),
                    .required("published_at", instant),
                ]), max: 10_000)),
    ])

    /// - Throws: every fault of the file.
    init(_ json: JSON, of study: Study) throws(Faults) {
        var faults = Self.schema.faults(in: json)
        let items = study.settings.compactMap { study.questionnaire($0) }.flatMap(\.questions).map(\.linkId)
        let own = json["settings"]?.object ?? [:]
        faults += own.members.filter { !items.contains($0.name) }.map {
            Fault(
                pointer: "/settings/\(Fault.escape($0.name))", code: "unknown_setting",
                detail: "No questionnaire of settings has this item.")
        }
        let seed = json["seed"]?.string.map { Hex.decode($0.utf8) }
        if case .some(.none) = seed {
            faults.append(Fault(pointer: "/seed", code: "not_hex", detail: "A seed has hexadecimal digits."))
        }
        guard faults.isEmpty else { throw Faults(faults) }
        let history = try ParticipantHistory(.object(Self.history(json)), of: HistoryStudy(study))
        var facts = RuleFacts(
            enrolment: json["enrolment_id"]?.string.flatMap { EnrolmentID($0) } ?? HistoryStudy.noEnrolment,
            seed: seed.flatMap(\.self).map { Array($0) } ?? Array(repeating: 0, count: 32),
            variables: history.facts)
        for line in json["publications"]?.array ?? [] {
            guard let collection = line["collection"]?.string, let edition = line["edition"]?.int,
                let item = line["item"]?.string,
                let moment = line["published_at"]?.string.flatMap({ Instant($0) })
            else { continue }
            facts.publications.append(
                .init(collection: collection, edition: edition, item: item, publishedAt: moment))
        }
        self.facts = facts
        settings = Dictionary(
            own.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The members as `ParticipantHistory` reads them. A sheet without an id gets one that follows from its position.
    private static func history(_ json: JSON) -> JSONObject {
        var object = JSONObject()
        for member in json.object ?? [:] {
            switch member.name {
            case "settings", "seed", "enrolment_id", "publications": break
            case "zones": object["zone_changes"] = member.value
            case "sheets":
                object["sheets"] = .array(
                    (member.value.array ?? []).enumerated().map { sheet($0.element, $0.offset) })
            default: object[member.name] = member.value
            }
        }
        object["at"] = .string(Instant.maximum.description)
        return object
    }

    private static func sheet(_ json: JSON, _ position: Int) -> JSON {
        guard case .object(var sheet) = json else { return json }
        let number = String(position + 1)
        let made = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
        if sheet["sheet_id"] == nil { sheet["sheet_id"] = sheet["id"] ?? .string(made) }
        return .object(JSONObject(sheet.members.filter { $0.name != "id" }))
    }
}

/// Reads the file of a made-up participant.
enum PersonFile {
    /// - Throws: the faults of the syntax.
    static func json(at path: String) throws -> JSON {
        let text =
            path == "-"
            ? String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
            : try String(contentsOfFile: path, encoding: .utf8)
        guard !text.drop(while: \.isWhitespace).hasPrefix("{") else { return try JSONReader.read(text) }
        return try YAMLDocument.json(text, name: path)
    }
}
