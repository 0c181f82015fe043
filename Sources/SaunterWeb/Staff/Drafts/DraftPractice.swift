import SaunterCore

/// The response of `GET …/draft/practices/{practice}`, and changes of it for a PUT request.
struct DraftPractice {
    /// The name of the values of a practice in forms.
    static let file = "practice"

    let revision: Int
    let languages: [String]
    let entitlements: [String]
    /// The folder of its files, with / at the end.
    let folder: String
    /// The codes of the journeys that contain it.
    let journeys: [String]
    private(set) var practice: JSONObject

    init(_ json: JSON) {
        revision = json["revision"]?.int ?? 0
        languages = (json["languages"]?.array ?? []).compactMap(\.string)
        entitlements = (json["entitlements"]?.array ?? []).compactMap(\.string)
        folder = json["folder"]?.string ?? ""
        journeys = (json["journeys"]?.array ?? []).compactMap(\.string)
        practice = json["practice"]?.object ?? [:]
    }

    /// The body of the PUT request for a new practice.
    static func new(title: [String: String]) -> JSON {
        [
            "title": .object(
                JSONObject(
                    title.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })),
            "exercises": [],
        ]
    }

    /// The body of the PUT request.
    var body: JSON { .object(practice) }

    var exercises: [JSONObject] { (practice["exercises"]?.array ?? []).compactMap(\.object) }

    func title(in language: String) -> String {
        DraftJourneys.text(practice["title"], in: language, of: languages)
            ?? practice["code"]?.string ?? ""
    }

    static func linkID(_ exercise: JSONObject) -> String { exercise["link_id"]?.string ?? "" }

    /// What the file of an exercise is; nil if it has none.
    static func mediaKind(_ exercise: JSONObject) -> MediaFormat.Kind? {
        exercise["media"]?["type"]?.string.flatMap { MediaFormat.Kind(rawValue: $0) }
    }

    // MARK: - Values of a form

    /// The values of the practice itself, as a form shows them.
    var ownValues: [DraftValue] {
        texts("title", of: practice, at: "") + texts("topic", of: practice, at: "")
            + [
                DraftValue(
                    file: Self.file, pointer: "/minutes", text: DraftValue.text(of: practice["minutes"]) ?? ""
                ),
                DraftValue(
                    file: Self.file, pointer: "/entitlement", text: practice["entitlement"]?.string ?? ""),
            ]
    }

    /// The values of an exercise: its texts, and those of its parts.
    func values(of exercise: JSONObject) -> [(name: String, values: [DraftValue])] {
        let place = "/exercises/\(Self.linkID(exercise))"
        var groups = [("text", texts("text", of: exercise, at: place))]
        for part in (exercise["parts"]?.array ?? []).compactMap(\.object) {
            let linkID = part["link_id"]?.string ?? ""
            groups.append((linkID, texts("text", of: part, at: "\(place)/parts/\(linkID)")))
        }
        if exercise["kind"]?.string == "input" {
            groups.append(("placeholder", texts("placeholder", of: exercise, at: place)))
        }
        if exercise["media"]?["source"]?.string != nil {
            groups.append(("media_text", texts("media_text", of: exercise, at: place)))
        }
        return groups.map { (name: $0.0, values: $0.1) }
    }

    /// All values, in the order of the page.
    var values: [DraftValue] {
        ownValues + exercises.flatMap { exercise in values(of: exercise).flatMap(\.values) }
    }

    private func texts(_ name: String, of object: JSONObject, at place: String) -> [DraftValue] {
        languages.map { language in
            DraftValue(
                file: Self.file, pointer: "\(place)/\(name)/\(language)",
                text: object[name]?[language]?.string ?? "")
        }
    }

    /// Sets values that were typed. A text that is no number stays a text, and the route reports it.
    mutating func set(_ changes: [(value: DraftValue, typed: String)]) {
        for change in changes {
            let steps = change.value.pointer.split(separator: "/").map(String.init)
            let typed = change.typed
            switch steps {
            case ["minutes"]: practice["minutes"] = Self.number(typed)
            case ["entitlement"]: practice["entitlement"] = typed.isEmpty ? .null : .string(typed)
            case _ where steps.count == 2: Self.set(typed, steps[1], of: steps[0], in: &practice)
            case _ where steps.count == 4:
                changeExercise(steps[1]) { Self.set(typed, steps[3], of: steps[2], in: &$0) }
            case _ where steps.count == 6:
                changeExercise(steps[1]) { exercise in
                    let parts = (exercise["parts"]?.array ?? []).map { part -> JSON in
                        guard part["link_id"]?.string == steps[3], var object = part.object else {
                            return part
                        }
                        Self.set(typed, steps[5], of: steps[4], in: &object)
                        return .object(object)
                    }
                    exercise["parts"] = .array(parts)
                }
            default: break
            }
        }
    }

    private static func set(_ text: String, _ language: String, of name: String, in object: inout JSONObject)
    {
        var texts = object[name]?.object ?? [:]
        texts[language] = text.allSatisfy(\.isWhitespace) ? nil : .string(text)
        object[name] = .object(texts)
    }

    private static func number(_ text: String) -> JSON {
        let plain = text.filter { !$0.isWhitespace }.replacing(",", with: ".")
        return Int(plain).map(JSON.int) ?? Double(plain).map(JSON.double) ?? .string(text)
    }

    // MARK: - Exercises

    mutating func changeExercise(_ linkID: String, _ change: (inout JSONObject) -> Void) {
        changeExercises { exercises in
            guard let index = exercises.firstIndex(where: { Self.linkID($0) == linkID }) else { return }
            change(&exercises[index])
        }
    }

    mutating func changeExercises(_ change: (inout [JSONObject]) -> Void) {
        var exercises = exercises
        change(&exercises)
        practice["exercises"] = .array(exercises.map(JSON.object))
    }

    /// Adds an exercise at the end, with a free link id such as `story_2`.
    mutating func add(_ kind: String) {
        let taken = Set(
            exercises.flatMap { exercise in
                [Self.linkID(exercise)]
                    + (exercise["parts"]?.array ?? []).compactMap { $0["link_id"]?.string }
            })
        let linkID = (1...).lazy.map { "\(kind)_\($0)" }.first { !taken.contains($0) } ?? kind
        changeExercises { $0.append(["link_id": .string(linkID), "kind": .string(kind)]) }
    }

    mutating func move(_ linkID: String, by step: Int) {
        changeExercises { exercises in
            guard let index = exercises.firstIndex(where: { Self.linkID($0) == linkID }) else { return }
            exercises.move(index, by: step)
        }
    }

    /// Sets the picture, sound or film of an exercise. Its words stay.
    /// - Parameter path: the path in the folder of the practice.
    mutating func setMedia(_ linkID: String, _ path: String, _ kind: MediaFormat.Kind) {
        changeExercise(linkID) {
            $0["media"] = ["type": .string(kind.rawValue), "source": .string(path)]
        }
    }

    /// Removes the picture, sound or film of an exercise with its words.
    mutating func removeMedia(_ linkID: String) {
        changeExercise(linkID) {
            $0["media"] = .null
            $0["media_text"] = .object([:])
        }
    }

    mutating func remove(_ linkID: String) {
        changeExercises { $0.removeAll { Self.linkID($0) == linkID } }
    }
}
