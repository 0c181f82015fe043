import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes that show studies without authentication.
struct StudyRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies", who: .anyone, tag: "Studies", summary: "List the open studies",
            outcomes: [.json(.ok, "All studies that are not closed.", .page(of: Self.summarySchema))]
        ) { call in
            var items: [JSON] = []
            for row in try await context.store.listStudies() where row.closedAt == nil {
                guard let published = try await context.catalogue.find(row.study, version: row.liveVersion)
                else { continue }
                items.append(summary(published.study, call))
            }
            return .json(.ok, ["items": .array(items), "next": nil])
        }
    }

    var get: Route {
        Route(
            .get, "/v1/studies/{study}", who: .anyone, tag: "Studies", summary: "Get one study",
            description: """
                Returns what a person needs to know before joining: the consent text, the course of the study and the \
                licences. The texts are in the first language of Accept-Language that the study offers.
                """,
            parameters: [.study],
            outcomes: [
                .json(.ok, "The live version of the study.", Self.detailSchema, headers: [Outcome.entityTag])
            ]
        ) { call in
            guard let live = try await context.catalogue.findLive(call.text("study")) else {
                throw Problem(.notFound)
            }
            let edition = try await context.content.findLive(live.published.study)
            let detail = detail(
                live.published.study, open: live.row.closedAt == nil, edition?.library, call)
            return .json(.ok, detail, headers: [.vary: "Accept-Language"], entityTag: EntityTag(of: detail))
        }
    }

    private func summary(_ study: Study, _ call: Call<Anyone>) -> JSON {
        let language = language(study, call)
        return [
            "study": .string(study.code), "version": .string(study.version), "language": .string(language),
            "title": .string(study.text[language]?.title ?? study.code),
            "summary": .string(study.text[language]?.summary ?? ""),
            "languages": .array(study.languages.map(JSON.string)),
            "brand": StudyBrandResponse(study, text: study.text[language]).json,
        ]
    }

    private func detail(_ study: Study, open: Bool, _ library: Library?, _ call: Call<Anyone>) -> JSON {
        let language = language(study, call)
        let text = study.text[language]
        guard case .object(var object) = summary(study, call) else { return .null }
        object["open"] = .bool(open && study.openEnrolment)
        object["needs_code"] = .bool(open && !study.openEnrolment)
        object["account_kinds"] = .array(
            AccountKind.allCases.filter(study.accounts.kinds.contains).map { .string($0.rawValue) })
        object["shows_contact"] = .bool(study.accounts.showsContact)
        object["join_address"] = .optional(study.links["join"], JSON.string)
        object["days"] = .int(study.days)
        object["consent"] = ["version": .string(study.consentVersion), "text": .string(text?.consent ?? "")]
        object["factors"] = .array(study.allocation.factors.map { factor($0, text?.factors[$0.code]) })
        object["course"] = .array(
            (text?.course ?? []).map { ["title": .string($0.title), "text": .string($0.text)] })
        object["features"] = .array(
            study.features.map { given in
                let feature = study.completed(given)
                return [
                    "feature": .string(feature.code),
                    "title": .string(text?.features[feature.code]?.title ?? feature.code),
                    "text": .string(text?.features[feature.code]?.text ?? ""),
                    "page": .optional(feature.page) { .string($0.rawValue) },
                    "questionnaire": .optional(feature.questionnaire, JSON.string),
                    "collection": .optional(feature.collection, JSON.string),
                ]
            })
        let open = library?.collections.filter(\.isPublic) ?? []
        object["library"] = .array(open.map { .object($0.summary(in: language)) })
        object["contacts"] = .optional(
            open.first { $0.fields.contains { $0.kind == .phone } }?.code, JSON.string)
        object["welcome"] = .array(
            (text?.welcome ?? []).map { ["title": .string($0.title), "text": .string($0.text)] })
        object["data_kinds"] = .array(
            study.dataKinds.map { kind in
                [
                    "data_kind": .string(kind.code),
                    "title": .string(text?.dataKinds[kind.code]?.title ?? kind.code),
                    "text": .string(text?.dataKinds[kind.code]?.text ?? ""),
                    "walk_series": .array(kind.walkSeries.map { .string($0.rawValue) }),
                ]
            })
        object["entitlements"] = .array(
            study.entitlements.map {
                [
                    "entitlement": .string($0.code),
                    "title": .string(text?.entitlements[$0.code] ?? $0.code),
                ]
            })
        object["licences"] = .array(
            study.licences.map {
                [
                    "name": .string($0.name), "license": .string($0.license),
                    "holder": .optional($0.holder, JSON.string),
                    "url": .optional($0.url, JSON.string),
                ]
            })
        object["questionnaires"] = .array(
            study.questionnaires.map {
                [
                    "questionnaire": .string($0.code), "version": .string($0.version),
                    "title": .string($0.text(in: language).title), "minutes": .double($0.minutes),
                    "license": .optional($0.license, JSON.string),
                    "copyright": .optional($0.copyright, JSON.string),
                    "settings": .bool(study.settings.contains($0.code)),
                ]
            })
        object["walking"] = .optional(study.walking) { rule in
            [
                "requires_calibration": .bool(rule.requiresCalibration),
                "reduction_percent": [
                    "min": .double(rule.reductionPercent.lowerBound),
                    "max": .double(rule.reductionPercent.upperBound),
                ],
                "other_sports": .string(rule.otherSports.rawValue),
            ]
        }
        return .object(object)
    }

    private func factor(_ factor: Allocation.Factor, _ texts: FactorText?) -> JSON {
        [
            "factor": .string(factor.code), "title": .string(texts?.title ?? factor.code),
            "levels": .array(
                factor.levels.map {
                    ["level": .string($0), "title": .string(texts?.levels[$0] ?? $0)]
                }),
        ]
    }

    private func language(_ study: Study, _ call: Call<Anyone>) -> String {
        context.language(call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
    }

    private static let summaryFields: [Schema.Member] = [
        .required("study", .string(format: .code), "The code of the study."),
        .required("version", .string(), "The live version of the study."),
        .required("language", .string(), "The language of the texts in this response."),
        .required("title", .string(), "The title of the study."),
        .required("summary", .string(), "The description of the study for participants."),
        .required("languages", .array(of: .string()), "The languages in which the study is available."),
        .required("brand", StudyBrandResponse.schema, "How the app of the study looks."),
    ]

    static let summarySchema = Schema.named("StudySummary", .object(summaryFields))

    static let detailSchema = Schema.named(
        "Study",
        .object(
            summaryFields + [
                .required("open", .boolean, "True if anyone with an account can enrol now."),
                .required(
                    "needs_code", .boolean,
                    "True if a participant needs an enrolment code of the study team to enrol."),
                .required(
                    "account_kinds", .array(of: .string(values: AccountKind.allCases.map(\.rawValue))),
                    "The kinds of accounts that may enrol."),
                .required(
                    "shows_contact", .boolean,
                    "True if coordinators of the study may read names and addresses of participants. Each look is recorded."
                ),
                .required(
                    "join_address", .nullable(.string()),
                    "The page of the study's own app on which a participant enters a code, with the placeholder `{{code}}`; null if the study states none."
                ),
                .required(
                    "days", .integer(min: 1),
                    "The number of the study's last day. The day of enrolment is day 0."),
                .required(
                    "consent",
                    .object([
                        .required("version", .string(), "The version of the consent text."),
                        .required("text", .string(), "The consent text in Markdown."),
                    ]), "The consent text, which a participant must accept before joining."),
                .required(
                    "factors",
                    .array(
                        of: .object([
                            .required("factor", .string(), "The code of the factor."),
                            .required("title", .string(), "The question or name of the factor."),
                            .required(
                                "levels",
                                .array(
                                    of: .object([
                                        .required("level", .string(), "The code of the level."),
                                        .required("title", .string(), "The name of the level."),
                                    ])), "The possible values of the factor."),
                        ])), "Questions to answer at enrolment. The allocation of the arm uses the answers."),
                .required(
                    "data_kinds",
                    .array(
                        of: .object([
                            .required("data_kind", .string(), "The code of the data kind."),
                            .required("title", .string(), "The name of the data kind."),
                            .required("text", .string(), "The question that asks for permission."),
                            .required(
                                "walk_series",
                                .array(of: .string(values: DataKind.WalkSeries.allCases.map(\.rawValue))),
                                "The series of walks that belong to the kind. A client records them only with permission."
                            ),
                        ])),
                    "The kinds of data that the participant can permit or not. Each is optional and revocable."
                ),
                .required(
                    "features",
                    .array(
                        of: .object([
                            .required("feature", .string(), "The code of the feature."),
                            .required("title", .string(), "The name of the feature."),
                            .required("text", .string(), "What the feature is for."),
                            .required(
                                "page",
                                .nullable(.string(values: StudyFeature.Page.allCases.map(\.rawValue))),
                                "The kind of page that shows the feature; null if the study states none."),
                            .required(
                                "questionnaire", .nullable(.string()),
                                "The questionnaire that the feature asks; null if it asks none."),
                            .required(
                                "collection", .nullable(.string()),
                                "The collection of the library that the feature shows; null if it shows none."
                            ),
                        ])), "The functions of the app, in the order of its navigation."),
                .required(
                    "library", .array(of: LibraryResponse.publicSummarySchema),
                    "The collections that anyone can read."),
                .required(
                    "contacts", .nullable(.string()),
                    "The collection with the contacts for a crisis, which every page of an app can reach; null if there is none."
                ),
                .required(
                    "welcome",
                    .array(
                        of: .object([
                            .required("title", .string(), "The heading."),
                            .required("text", .string(), "The text."),
                        ])), "What an app shows after joining, step by step; empty if there is nothing."),
                .required(
                    "course",
                    .array(
                        of: .object([
                            .required("title", .string(), "The heading."),
                            .required("text", .string(), "The text."),
                        ])), "What a participant can expect, in order."),
                .required(
                    "entitlements",
                    .array(
                        of: .object([
                            .required("entitlement", .string(), "The code of the entitlement."),
                            .required("title", .string(), "The name of the entitlement."),
                        ])),
                    "What parts of the study need. `GET /v1/studies/{study}/plans` lists how to buy it."),
                .required(
                    "licences",
                    .array(
                        of: .object([
                            .required("name", .string(), "The name of the instrument."),
                            .required("license", .string(), "The licence."),
                            .required(
                                "holder", .nullable(.string()),
                                "The holder of the rights; null if none is named."),
                            .required(
                                "url", .nullable(.string()),
                                "Where the licence is published; null if it is not."),
                        ])), "The licences of the instruments."),
                .required(
                    "questionnaires",
                    .array(
                        of: .object([
                            .required("questionnaire", .string(), "The code of the questionnaire."),
                            .required("version", .string(), "The version of the questionnaire."),
                            .required("title", .string(), "The title of the questionnaire."),
                            .required("minutes", .number(), "The expected duration in minutes."),
                            .required(
                                "license", .nullable(.string()),
                                "The licence of the questionnaire; null if none is stated."),
                            .required(
                                "copyright", .nullable(.string()),
                                "The copyright notice to show with the questionnaire; null if there is none."),
                            .required(
                                "settings", .boolean,
                                "True if it contains settings. The participant opens it to change them."),
                        ])), "The questionnaires of the study."),
                .required(
                    "walking",
                    .nullable(
                        .object([
                            .required(
                                "requires_calibration", .boolean, "True if a walk needs a calibration."),
                            .required(
                                "reduction_percent",
                                .object([
                                    .required("min", .number(), "The smallest permitted value."),
                                    .required("max", .number(), "The largest permitted value."),
                                ]), "The permitted reduction of the speed in percent."),
                            .required(
                                "other_sports",
                                .string(values: WalkingRule.OtherSports.allCases.map(\.rawValue)),
                                "Whether rides, swims and other sports are rejected, or stored with a flag."),
                        ])), "The rules for walks; null if the study has no walks."),
            ]))
}
