import SaunterCore
import SaunterPacks
import SaunterStore

/// Changes of single values in the YAML files of a draft.
enum DraftValues {
    /// The files with all changes.
    /// - Throws: `draft-invalid` with a fault for each change that is not possible.
    static func apply(_ body: JSON, to draft: StudyDraft) throws(Problem) -> PackFiles {
        var editors: [String: YAMLEditor] = [:]
        var unreadable: [String: PackFault] = [:]
        var faults: [Fault] = []
        var places: [PackFault] = []
        for (index, change) in (body["changes"]?.array ?? []).enumerated() {
            let file = change["file"]?.string ?? ""
            func note(_ member: String, _ code: String, _ fault: PackFault) {
                faults.append(
                    Fault(
                        pointer: "/changes/\(index)/\(member)", code: code,
                        detail: "\(fault.file):\(fault.line): \(fault.message)"))
                places.append(fault)
            }
            if editors[file] == nil, unreadable[file] == nil {
                do {
                    editors[file] = try editor(of: file, draft)
                } catch {
                    unreadable[file] = error
                }
            }
            if let fault = unreadable[file] {
                note("file", "unusable_file", fault)
                continue
            }
            do {
                try editors[file]?.set(value(change), at: change["pointer"]?.string ?? "")
            } catch {
                note(
                    "pointer", "not_settable", PackFault(file: file, line: error.line, message: error.message)
                )
            }
        }
        guard faults.isEmpty else {
            var problem = Problem(.draftInvalid, Faults(faults))
            problem.members["faults"] = .array(places.map(\.json))
            throw problem
        }
        return PackFiles(files: draft.files.merging(editors.mapValues(\.text)) { _, new in new })
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
        let value = change["value"] ?? .null
        return value.string.map { .string($0.replacing("\r\n", with: "\n")) } ?? value
    }

    static let example: JSON = [
        "changes": [
            [
                "file": "studies/mindful-walking/study.yaml", "pointer": "/version", "value": "1.1.0",
            ]
        ]
    ]

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
                            .nullable(.anyOf([.string(maxLength: 100_000), .number(), .boolean])),
                            "The new value."),
                    ]), min: 1, max: 200), "The changes, in this order.")
        ]))
}
