import SaunterCore
import SaunterPacks

/// The response body for the difference between two states of a study's files.
struct DifferenceResponse {
    /// The version on the left; nil if the study has none.
    let from: String?
    /// The version on the right. The version of a draft is that of its `study.yaml`; nil if it cannot be read.
    let to: String?
    let difference: PackDifference

    var json: JSON {
        [
            "from": .optional(from, JSON.string), "to": .optional(to, JSON.string),
            "groups": .array(
                difference.groups.map { group in
                    [
                        "kind": .string(group.kind.rawValue),
                        "changes": .array(group.changes.map(Self.json)),
                        "left_out": .int(group.leftOut),
                    ]
                }),
            "files": .array(difference.files.map(Self.json)),
        ]
    }

    private static func json(_ change: PackDifference.Change) -> JSON {
        [
            "place": .string(change.place), "what": .string(change.what.rawValue),
            "before": .optional(change.before, JSON.string), "after": .optional(change.after, JSON.string),
        ]
    }

    private static func json(_ file: PackDifference.File) -> JSON {
        [
            "path": .string(file.path), "path_before": .optional(file.pathBefore, JSON.string),
            "what": .string(file.what.rawValue), "complete": .bool(file.lines.isComplete),
            "lines": .array(
                file.lines.lines.map { line in
                    [
                        "mark": .string(line.mark.rawValue), "text": .string(line.text),
                        "line_before": .optional(line.before, JSON.int),
                        "line_after": .optional(line.after, JSON.int),
                    ]
                }),
        ]
    }

    private static let what = Schema.string(values: PackDifference.What.allCases.map(\.rawValue))

    static let schema = Schema.named(
        "PackDifference",
        .object([
            .required(
                "from", .nullable(.string()),
                "The version before the changes; null if the study has no published version."),
            .required(
                "to", .nullable(.string()),
                "The version after the changes; null if the `study.yaml` of the draft cannot be read."),
            .required(
                "groups",
                .array(
                    of: .object([
                        .required(
                            "kind", .string(values: PackDifference.Kind.allCases.map(\.rawValue)),
                            "The part of the study."),
                        .required(
                            "changes",
                            .array(
                                of: .object([
                                    .required(
                                        "place", .string(),
                                        "Where the change is, such as `day_mood › mood › text (en)`."),
                                    .required("what", what, "What happened to the value."),
                                    .required(
                                        "before", .nullable(.string()),
                                        "The value before; null if there was none, or if it is a complete file."
                                    ),
                                    .required(
                                        "after", .nullable(.string()),
                                        "The value after; null if there is none, or if it is a complete file."
                                    ),
                                ])), "The changes in the order of the files."),
                        .required(
                            "left_out", .integer(min: 0),
                            "The number of further changes, which are not listed."),
                    ])), "The changes by part. A part without changes is left out."),
            .required(
                "files",
                .array(
                    of: .object([
                        .required(
                            "path", .string(), "The path of the file, or its former path if it was removed."),
                        .required(
                            "path_before", .nullable(.string()),
                            "The path before, if the file belongs to another version of a questionnaire now; otherwise null."
                        ),
                        .required("what", what, "What happened to the file."),
                        .required(
                            "complete", .boolean,
                            "False if lines are left out, or if the changed lines of a very large file were not compared with each other."
                        ),
                        .required(
                            "lines",
                            .array(
                                of: .object([
                                    .required(
                                        "mark", .string(values: TextDifference.Mark.allCases.map(\.rawValue)),
                                        "`+` for an added line, `-` for a removed one, a space for one that is the same."
                                    ),
                                    .required(
                                        "text", .string(), "The line. It ends with `…` if it was shortened."),
                                    .required(
                                        "line_before", .nullable(.integer(min: 1)),
                                        "The number of the line before; null for an added line."),
                                    .required(
                                        "line_after", .nullable(.integer(min: 1)),
                                        "The number of the line after; null for a removed line."),
                                ])),
                            "The lines in their order; empty for media files. In a long file, lines far from a change are left out."
                        ),
                    ])), "The changed files, sorted by path."),
        ]))
}
