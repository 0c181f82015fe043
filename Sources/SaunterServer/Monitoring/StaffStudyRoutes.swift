import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for the studies of a member of study teams.
struct StaffStudyRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/staff/studies", who: .staff, tag: "Monitoring",
            summary: "List the studies in which the caller has a role",
            description: """
                An admin of all studies gets all. The numbers of participants are null in a study of which the caller \
                is no researcher.
                """,
            query: [
                QueryParameter("study", .string(format: .code), "Only the study with this code."),
                QueryParameter(
                    "q", .string(minLength: 1, maxLength: 100),
                    "Only studies whose code or title contains this text."),
                QueryParameter(
                    "state", .string(values: ["open", "closed"]),
                    "Only studies that accept enrolments, or only those that do not."),
                QueryParameter(
                    "sort", .string(values: StaffStudyOrder.values),
                    """
                    The value by which the studies are sorted; with a minus sign, the largest first. The default is \
                    `attention`: studies with open alerts first, then those without any record.
                    """),
                QueryParameter(
                    "numbers", .boolean,
                    """
                    Whether participants, today's answers and records are counted. The default is true. If false, \
                    these members are null, and the response does not wait for them.
                    """),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Studies.",
                    .page(
                        of: StaffStudy.schema,
                        [
                            .required("as_of", .instant, "The instant of the numbers."),
                            .required(
                                "unpublished", .array(of: Self.unpublishedSchema),
                                "Studies without a published version, by code. Filters by code and text apply."
                            ),
                        ]))
            ]
        ) { call in
            guard let order = StaffStudyOrder(call.query("sort") ?? "attention") else {
                throw Problem(.internalError)
            }
            let after = try position(call)
            let studies = try await studies(call).map { (order.position(of: $0), $0) }
                .filter { item in after.map { $0 < item.0 } ?? true }.sorted { $0.0 < $1.0 }
            let page = studies.prefix(call.pageLimit)
            let next = studies.count > page.count ? page.last?.0 : nil
            return .page(
                page.map(\.1.json), next: next.map { Cursor([String($0.value), $0.study]) },
                path: "/v1/staff/studies", query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: [
                    "as_of": .instant(call.now), "unpublished": .array(try await unpublished(call)),
                ])
        }
    }

    /// The drafts of studies that were never published, in which the caller has a role.
    private func unpublished(_ call: Call<Identity>) async throws -> [JSON] {
        guard call.query("state") == nil else { return [] }
        let isForAll = call.caller.grants.contains { $0.study == Grant.allStudies }
        let drafts = try await context.store.listUnpublishedDrafts(
            of: isForAll ? nil : Set(call.caller.grants.map(\.study)).sorted())
        return drafts.compactMap { draft in
            let language = context.language(
                call.headers[.acceptLanguage], of: draft.languages, fallback: draft.languages.first ?? "en")
            let title = draft.title(in: language)
            guard call.query("study") ?? draft.study == draft.study, fits([draft.study, title], call) else {
                return nil
            }
            return [
                "study": .string(draft.study), "title": .string(title),
                "changed_at": .instant(draft.changedAt),
            ]
        }
    }

    private static let unpublishedSchema = Schema.named(
        "UnpublishedStudy",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required("title", .string(), "The title in the draft, or the code if it has none."),
            .required("changed_at", .instant, "When the draft was last changed."),
        ]))

    private func position(_ call: Call<Identity>) throws(Problem) -> StaffStudyOrder.Position? {
        guard let cursor = try call.cursor(parts: 2) else { return nil }
        guard let value = Int64(cursor.parts[0]) else { throw .invalidCursor }
        return StaffStudyOrder.Position(value: value, study: cursor.parts[1])
    }

    /// The studies that fit the filters, with their numbers.
    private func studies(_ call: Call<Identity>) async throws -> [StaffStudy] {
        let caller = call.caller
        var found: [StaffStudy] = []
        for row in try await context.store.listStudies() {
            let grants = caller.grants.filter { $0.study == row.study || $0.study == Grant.allStudies }
            guard !grants.isEmpty, call.query("study") ?? row.study == row.study,
                let published = try await context.catalogue.find(row.study, version: row.liveVersion),
                let arms = try await context.catalogue.findArms(of: row.study)
            else { continue }
            let isBlinded = try await context.areBlinded(arms, of: row.study)
            let study = StaffStudy(
                study: row.study, title: title(of: published.study, call), liveVersion: row.liveVersion,
                closedAt: row.closedAt, roles: Role.allCases.filter { grants.map(\.role).contains($0) },
                fullExport: grants.contains { $0.role.readsAnswers && $0.fullExport },
                isBlinded: isBlinded, seesArms: !isBlinded || caller.seesArms(in: row.study),
                hasWalks: arms.hasWalks, hasArms: arms.codes.count > 1)
            if fits(study, call) { found.append(study) }
        }
        let codes = found.map(\.study)
        let counted =
            call.queryBool("numbers") ?? true
            ? codes.filter { caller.grant(.researcher, study: $0) != nil } : []
        let coordinated = codes.filter { caller.grant(.coordinator, study: $0) != nil }
        let numbers = try await context.store.countStudies(counted, at: call.now)
        let alerts = try await context.store.countOpenAlerts(of: coordinated)
        for index in found.indices {
            let code = found[index].study
            if counted.contains(code) { found[index].numbers = numbers[code] ?? StudyNumbers() }
            if coordinated.contains(code) { found[index].openAlerts = alerts[code] ?? 0 }
        }
        return found
    }

    private func fits(_ study: StaffStudy, _ call: Call<Identity>) -> Bool {
        if let state = call.query("state"), (state == "open") != (study.closedAt == nil) { return false }
        return fits([study.study, study.title], call)
    }

    private func fits(_ words: [String], _ call: Call<Identity>) -> Bool {
        guard let text = call.query("q") else { return true }
        return words.contains { $0.range(of: text, options: .caseInsensitive) != nil }
    }

    private func title(of study: Study, _ call: Call<Identity>) -> String {
        let language = context.language(
            call.headers[.acceptLanguage], of: study.languages, fallback: study.languages[0])
        return study.text[language]?.title ?? study.code
    }
}
