import SaunterCore
import SaunterStore

/// What the publication of a draft does.
enum PublicationKind: String, CaseIterable {
    /// A version becomes live, or participants of other versions follow the live one.
    case version
    /// Only the library changes.
    case edition
    /// The draft has the files of the live version and of the live edition.
    case nothing
}

/// The numbers of a preview, which the editor confirms. The publication states those that were different.
struct PublicationNumbers {
    /// In the order of the response.
    static let names = [
        "enrolments", "awaiting_consent", "moved", "cancelled", "added", "told_before", "open", "sheets",
    ]

    private let values: [String: Int]

    init(_ effect: PublicationEffect, _ rescoring: RescoringEffect?) {
        let total = effect.total
        values = [
            "enrolments": effect.enrolments, "awaiting_consent": effect.awaitingConsent,
            "moved": total.moved, "cancelled": total.cancelled, "added": total.added,
            "told_before": total.alreadyAnnounced, "open": total.open,
            "sheets": rescoring?.affected.reduce(0) { $0 + $1.sheets } ?? 0,
        ]
    }

    var json: JSON { .object(JSONObject(Self.names.map { .init(name: $0, value: .int(values[$0] ?? 0)) })) }

    /// The numbers that are not as expected. A number that `expected` does not contain is not compared.
    func differences(from expected: JSON?) -> JSON {
        .array(
            Self.names.compactMap { name in
                guard let value = expected?[name]?.int, let happened = values[name], value != happened else {
                    return nil
                }
                return ["name": .string(name), "expected": .int(value), "happened": .int(happened)]
            })
    }

    /// The schema of the numbers that a client sends.
    static let expectedSchema = Schema.object(
        names.map { .optional($0, .integer(min: 0), descriptions[$0] ?? "") })
    /// The schema of the numbers of a preview.
    static let schema = Schema.object(names.map { .required($0, .integer(min: 0), descriptions[$0] ?? "") })

    private static let descriptions = [
        "enrolments": "The number of participants who would follow the version.",
        "awaiting_consent": "The number of participants who first have to consent to the new consent text.",
        "moved": "The number of occasions whose window moves.",
        "cancelled": "The number of occasions that are cancelled.",
        "added": "The number of occasions that are added.",
        "told_before": "The number of moved or cancelled occasions that a daily mail announced before.",
        "open": "The number of open occasions, which do not change.",
        "sheets": "The number of stored answer sheets, with every revision, that are scored again.",
    ]
}

/// Schemas of the preview and of the result of a publication.
enum PublicationResponse {
    private static let version = Schema.Member.required(
        "version", .nullable(.string()), "The version in the draft; null if it cannot be read.")

    static let preview = Schema.named(
        "PublicationPreview",
        .object([
            .required("revision", .integer(min: 1), "The revision of the draft that was compared."),
            .required("publishable", .boolean, "True if nothing prevents the publication."),
            .required(
                "problems", .array(of: .string()),
                """
                What prevents the publication: the faults of the check, conflicts with published versions, and a \
                version that is published with other content. A newer edition is in `library`.
                """),
            .required("kind", .string(values: PublicationKind.allCases.map(\.rawValue)), kindDescription),
            version,
            .required(
                "live_version", .nullable(.string()),
                "The version that participants join now; null before the first publication."),
            .required(
                "edition", .nullable(.integer(min: 1)),
                "The number that the edition of the library will have, or has; null without a library."),
            .required(
                "edition_is_new", .boolean, "True if the library of the draft differs from the live edition."),
            .required(
                "library", .nullable(DraftLibrary.schema),
                """
                What the draft has to take over before it can be published, because a newer edition is live; null if the \
                library of the draft is current.
                """),
            .required(
                "effect", .nullable(VersionRoutes.schema),
                "The effect if all participants follow the version; null if the draft cannot be read."),
            .required(
                "rescoring", .nullable(rescoring),
                "The stored answer sheets that will be scored again; null if there are none."),
            .required(
                "numbers", .nullable(PublicationNumbers.schema), "The sums; null if the draft cannot be read."
            ),
        ]))

    static let result = Schema.named(
        "PublicationResult",
        .object([
            .required("kind", .string(values: PublicationKind.allCases.map(\.rawValue)), kindDescription),
            .required("version", .string(), "The live version."),
            .required("published", .boolean, "True if the version was not published before."),
            .required(
                "edition", .nullable(.integer(min: 1)),
                "The live edition of the library; null without a library."),
            .required("edition_published", .boolean, "True if the edition was not published before."),
            .required(
                "effect", VersionRoutes.schema,
                "The effect, computed immediately before the version was published."),
            .required(
                "rescoring", .nullable(rescoring),
                "The answer sheets that are scored again; null if there are none."),
            .required(
                "moved", .nullable(.integer(min: 0)),
                "The number of participants who follow the version now because of this request; null if they stay on theirs."
            ),
            remaining, supersededBy,
            .required(
                "differs",
                .array(
                    of: .object([
                        .required(
                            "name", .string(values: PublicationNumbers.names), "The number of the preview."),
                        .required("expected", .integer(min: 0), "The number in `expected`."),
                        .required("happened", .integer(min: 0), "The number at the publication."),
                    ])), "The numbers that were not as expected."),
        ]))

    static let remaining = Schema.Member.required(
        "remaining", .integer(min: 0),
        """
        The number of participants who can follow the version but do not yet. If it is not 0, \
        `POST /v1/studies/{study}/versions/{version}/moves` moves the next ones.
        """)
    static let supersededBy = Schema.Member.required(
        "superseded_by", .nullable(.string()),
        "The version that became live in the meantime, so that no further participants were moved; otherwise null."
    )

    private static let kindDescription = """
        `version` if the version becomes live, or if participants of other versions can follow the live one; `edition` \
        if only the library changes; `nothing` if everything is published.
        """

    private static let rescoring = Schema.named(
        "PublicationRescoring",
        .object([
            .required(
                "rescoring_id", .nullable(.id), "The id of the rescoring; null in a preview."),
            .required(
                "touches",
                .array(
                    of: .object([
                        .required("questionnaire", .string(), "The code of the questionnaire."),
                        .required("version", .string(), "The answered version."),
                        .required(
                            "keyed_by", .string(), "The version of the questionnaire with the active key."),
                        .required("key_version", .string(), "The version of the active key."),
                        .required("key_digest", .string(), "The SHA-256 of the active key."),
                        .required(
                            "sheets", .integer(min: 1), "The number of sheets, with every revision counted."),
                        .required(
                            "changed_scales", .array(of: .string()),
                            "The codes of the scales with a changed definition."),
                    ])), "The versions whose sheets are scored again."),
        ]))
}
