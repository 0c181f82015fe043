import SaunterCore
import SaunterPacks
import SaunterStore

/// Changes of single values, and of lists of them, in the YAML files of a draft.
enum DraftValues {
    /// The maximum size of all texts that one request parses, where a text counts again each time.
    static let maximumWork = 8 << 20

    /// One change of the request.
    private struct Change {
        let index: Int
        let pointer: String
        let value: JSON
    }

    /// The files with all changes. Values that exist are set together; only others need to be parsed one by one.
    /// - Throws: `draft-invalid` with a fault for each change that is not possible.
    /// - Parameter limit: the maximum size of all texts that are parsed.
    static func apply(
        _ body: JSON, to draft: StudyDraft, limit: Int = Self.maximumWork
    ) throws(Problem) -> PackFiles {
        var changes: [String: [Change]] = [:]
        for (index, change) in (body["changes"]?.array ?? []).enumerated() {
            changes[change["file"]?.string ?? "", default: []].append(
                Change(index: index, pointer: change["pointer"]?.string ?? "", value: value(change)))
        }
        var files = draft.files
        var work = 0
        var faults: [(index: Int, fault: Fault, place: PackFault)] = []
        for (file, changes) in changes.sorted(by: { $0.key < $1.key }) {
            func note(_ change: Change, _ member: String, _ code: String, _ place: PackFault) {
                let fault = Fault(
                    pointer: "/changes/\(change.index)/\(member)", code: code,
                    detail: "\(place.file):\(place.line): \(place.message)")
                faults.append((change.index, fault, place))
            }
            /// Counts a text that is parsed once more.
            func isTooMuch(_ text: String) -> Bool {
                work += text.utf8.count
                return work > limit
            }
            let large = PackFault(
                file: file, line: 1,
                message: "the files are too large for so many changes at once; send fewer changes")
            guard !isTooMuch(files[file] ?? "") else {
                for change in changes { note(change, "file", "too_many", large) }
                continue
            }
            do {
                var editor = try Self.editor(of: file, draft)
                let isSet =
                    !isTooMuch(editor.text)
                    && editor.setTogether(changes.map { (value: $0.value, pointer: $0.pointer) })
                for change in isSet ? [] : changes {
                    guard !isTooMuch(editor.text) else {
                        note(change, "file", "too_many", large)
                        continue
                    }
                    do {
                        try editor.set(change.value, at: change.pointer)
                    } catch {
                        note(
                            change, "pointer", "not_settable",
                            PackFault(file: file, line: error.line, message: error.message))
                    }
                }
                files[file] = editor.text
            } catch {
                for change in changes { note(change, "file", "unusable_file", error) }
            }
        }
        guard faults.isEmpty else {
            let ordered = faults.sorted { $0.index < $1.index }
            var problem = Problem(.draftInvalid, Faults(ordered.map(\.fault)))
            problem.members["faults"] = .array(ordered.map(\.place.json))
            throw problem
        }
        return PackFiles(files: files)
    }

    private static func editor(of file: String, _ draft: StudyDraft) throws(PackFault) -> YAMLEditor {
        guard let text = draft.files[file] else {
            throw PackFault(file: file, line: 1, message: "the draft has no such file")
        }
        guard file.hasSuffix(".yaml"), !PackPath.isMedia(file) else {
            throw PackFault(file: file, line: 1, message: "this is not a YAML file")
        }
        do {
            return try YAMLEditor(text, file: file)
        } catch {
            throw error.list[0]
        }
    }

    /// The value with LF line ends, because forms of browsers send CR LF.
    private static func value(_ change: JSON) -> JSON {
        func plain(_ value: JSON) -> JSON {
            value.string.map { .string($0.replacing("\r\n", with: "\n")) } ?? value
        }
        let value = change["value"] ?? .null
        return value.array.map { .array($0.map(plain)) } ?? plain(value)
    }

    static let example: JSON = [
        "changes": [
            [
                "file": "studies/mindful-walking/study.yaml", "pointer": "/version", "value": "1.1.0",
            ]
        ]
    ]

    private static let single: [Schema] = [.string(maxLength: 100_000), .number(), .boolean]

    static let schema = Schema.named(
        "DraftValues",
        .object([
            .required(
                "changes",
                .array(
                    of: .object([
                        .required(
                            "file", .string(minLength: 1, maxLength: 400), "The path of the YAML file."),
                        .required(
                            "pointer", .string(minLength: 1, maxLength: 1000),
                            "A JSON Pointer through the keys and lists of the file, such as `/items/mood`."),
                        .required(
                            "value",
                            .nullable(.anyOf(single + [.array(of: .anyOf(single), max: 100)])),
                            "The new value, or all elements of a list of single values in their order."),
                    ]), min: 1, max: 200), "The changes, in this order.")
        ]))
}
