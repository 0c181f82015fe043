import SaunterCore
import SaunterPacks

/// The body of a request for a practice, and its JSON in responses.
struct PracticeBody {
    let body: JSON
    /// The practice in the draft; nil for a new one.
    let before: Practice?
    /// The languages that texts can have.
    let languages: Set<String>
    let entitlements: Set<String>
    /// The paths of the files in the folder of the questionnaire.
    let media: Set<String>

    private static let textLength = 20_000

    /// The practice, with a fault for each part that cannot be used.
    func practice(_ code: String, _ faults: inout BodyFaults) -> Practice {
        var practice = Practice(code: code, version: before?.version ?? "1.0.0")
        for (member, expected) in [("code", practice.code), ("version", practice.version)] {
            if let found = body[member]?.string, found != expected {
                faults.add("/\(member)", "not_a_value", "It must be \(expected), or absent.")
            }
        }
        practice.title = faults.texts(body["title"], at: "/title", known: languages)
        if practice.title.isEmpty {
            faults.add("/title", "required", "A practice needs a title in at least one language.")
        }
        practice.topic = faults.texts(body["topic"], at: "/topic", known: languages)
        practice.minutes = body["minutes"]?.double ?? before?.minutes ?? 1
        if practice.minutes <= 0 { faults.add("/minutes", "below_minimum", "It must be more than 0.") }
        if let entitlement = body["entitlement"]?.string {
            if !entitlements.contains(entitlement) {
                faults.add("/entitlement", "unknown", "The study has no entitlement with this code.")
            }
            practice.entitlement = entitlement
        }
        var linkIDs: Set<String> = []
        for (index, json) in (body["exercises"]?.array ?? []).enumerated() {
            let pointer = "/exercises/\(index)"
            let exercise = exercise(json, pointer, &faults)
            for linkID in [exercise.linkID] + exercise.parts.map(\.linkID)
            where !linkIDs.insert(linkID).inserted {
                faults.add("\(pointer)/link_id", "duplicate", "Another exercise has this link_id.")
            }
            practice.exercises.append(exercise)
        }
        return practice
    }

    private func exercise(_ json: JSON, _ pointer: String, _ faults: inout BodyFaults) -> Practice.Exercise {
        let linkID = json["link_id"]?.string ?? ""
        let old = before?.exercises.first { $0.linkID == linkID }
        let kind = json["kind"]?.string.flatMap { Practice.Exercise.Kind(rawValue: $0) } ?? .story
        if !PackPath.isInstrumentCode(linkID), old == nil {
            faults.add(
                "\(pointer)/link_id", "not_a_value",
                "A link_id has 1 to 24 characters a-z, 0-9 and _, and begins with a letter.")
        }
        if (kind == .other) != (old?.kind == .other), kind == .other || old != nil {
            faults.add(
                "\(pointer)/kind", "not_a_value",
                "The kind other is only possible for an exercise of the draft that has it, and it cannot change."
            )
        }
        var exercise = Practice.Exercise(linkID: linkID, kind: kind, type: old?.type ?? "")
        exercise.text = faults.texts(json["text"], at: "\(pointer)/text", known: languages)
        exercise.placeholder = faults.texts(
            json["placeholder"], at: "\(pointer)/placeholder", known: languages)
        if kind == .story, !exercise.placeholder.isEmpty {
            faults.add("\(pointer)/placeholder", "not_permitted", "Only an input has a placeholder.")
        }
        exercise.mediaText = faults.texts(
            json["media_text"], at: "\(pointer)/media_text", known: languages)
        exercise.media = medium(json["media"])
        if let medium = exercise.media, medium != old?.media {
            addFaults(of: medium, in: kind, "\(pointer)/media", &faults)
        }
        exercise.parts = parts(json, of: old, pointer, &faults)
        return exercise
    }

    /// The picture, sound or film; nil for none.
    private func medium(_ json: JSON?) -> Media? {
        guard let source = json?["source"]?.string,
            let kind = json?["type"]?.string.flatMap({ Media.Kind(rawValue: $0) })
        else { return nil }
        return Media(kind: kind, source: source)
    }

    /// Adds what is wrong with other media than before.
    private func addFaults(
        of medium: Media, in kind: Practice.Exercise.Kind, _ pointer: String, _ faults: inout BodyFaults
    ) {
        guard medium.source.hasPrefix(PackPath.media), media.contains(medium.source), kind != .other else {
            return faults.add(
                pointer, "unknown",
                "The folder of the questionnaire has no such file, or the exercise cannot have media.")
        }
        guard MediaInspection.format(ofName: medium.source)?.kind == medium.kind.ofFile else {
            return faults.add(
                "\(pointer)/type", "not_a_value", "The name of the file has the ending of another type.")
        }
    }

    private func parts(
        _ json: JSON, of old: Practice.Exercise?, _ pointer: String, _ faults: inout BodyFaults
    ) -> [Practice.Part] {
        let known = old?.parts ?? []
        var parts: [Practice.Part] = []
        for (index, part) in (json["parts"]?.array ?? []).enumerated() {
            let place = "\(pointer)/parts/\(index)"
            let linkID = part["link_id"]?.string ?? ""
            if !known.contains(where: { $0.linkID == linkID }) {
                faults.add("\(place)/link_id", "unknown", "The exercise has no such part.")
            }
            parts.append(
                Practice.Part(
                    linkID: linkID,
                    text: faults.texts(part["text"], at: "\(place)/text", known: languages)))
        }
        // Parts that the body leaves out keep their words.
        return parts + known.filter { part in !parts.contains { $0.linkID == part.linkID } }
    }

    // MARK: - JSON

    static func json(_ practice: Practice) -> JSON {
        [
            "code": .string(practice.code), "version": .string(practice.version),
            "title": .texts(practice.title), "topic": .texts(practice.topic),
            "minutes": .double(practice.minutes), "entitlement": .optional(practice.entitlement, JSON.string),
            "exercises": .array(
                practice.exercises.map { exercise in
                    [
                        "link_id": .string(exercise.linkID), "kind": .string(exercise.kind.rawValue),
                        "type": .string(exercise.type), "text": .texts(exercise.text),
                        "placeholder": .texts(exercise.placeholder),
                        "media": .optional(exercise.media) { media in
                            ["type": .string(media.kind.rawValue), "source": .string(media.source)]
                        },
                        "media_text": .texts(exercise.mediaText),
                        "parts": .array(
                            exercise.parts.map { ["link_id": .string($0.linkID), "text": .texts($0.text)] }),
                    ]
                }),
        ]
    }

    static let schema = Schema.object([
        .optional("code", .string(), "The code, as in the address."),
        .optional(
            "version", .string(), "The version of the questionnaire in the draft. It cannot be set here."),
        .required("title", .texts(maxLength: 500), "The title by language."),
        .optional("topic", .texts(maxLength: 5000), "What the practice is about, by language."),
        .optional("minutes", .number(min: 0, max: 1440), "How long it takes. Default: 1 for a new practice."),
        .optional(
            "entitlement", .nullable(.string(maxLength: 64)),
            "The entitlement that a participant needs; null or absent for none."),
        .required("exercises", .array(of: exercise, max: 200), "The exercises in order."),
    ])

    private static let exercise = Schema.object([
        .required(
            "link_id", .string(maxLength: 64), "The id of the exercise in the practice and in the data."),
        .required(
            "kind", .string(values: Practice.Exercise.Kind.allCases.map(\.rawValue)),
            """
            `story` is read, `input` is answered with a text, and `other` is another type of question, whose \
            definition stays as it is.
            """),
        .optional("type", .string(), "The type of the item. It cannot be set here."),
        .optional("text", .texts(maxLength: textLength), "What a participant reads, by language."),
        .optional(
            "placeholder", .texts(maxLength: 500), "What the empty field of an input shows, by language."),
        .optional(
            "media",
            .nullable(
                .object([
                    .required(
                        "type", .string(values: Media.Kind.allCases.map(\.rawValue)),
                        "Whether the file is a picture, a sound or a film."),
                    .required(
                        "source", .string(maxLength: 200),
                        "The path of the file in the folder of the questionnaire, such as media/tree.png."),
                ])), "A picture, a sound or a film; null for none."),
        .optional(
            "media_text", .texts(maxLength: 5000),
            """
            The words for participants who do not see the picture or film, or do not hear the sound, by language: a \
            description, or what is spoken.
            """),
        .optional(
            "parts",
            .array(
                of: .object([
                    .required("link_id", .string(maxLength: 64), "The id of an item in the group."),
                    .required("text", .texts(maxLength: textLength), "Its words by language."),
                ]), max: 200), "The items in a group, of which only the words can change."),
    ])
}
