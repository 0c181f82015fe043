import SaunterCore
import SaunterStore

/// Computes variables from the stored data of one participant.
struct InsightService: Sendable {
    let context: ServerContext

    /// The values of these variables, in this order, and the participant's local date at the instant.
    func values(
        of ids: [String], _ enrolment: Enrolment, _ published: PublishedStudy, at instant: Instant
    ) async throws -> (values: [VariableValue], localDate: LocalDate) {
        let plan = published.variables
        let facts = try await context.variableFacts.facts(
            of: enrolment, plan.needs(for: ids), study: published)
        let zone = facts.zones.zone(
            at: instant, enrolledAt: enrolment.enrolledAt, fallback: published.study.zone)
        return (plan.values(of: ids, from: facts, at: instant), zone.local(of: instant).date)
    }

    /// The variables that the receipt of a sheet of this questionnaire contains (`after`), as JSON; empty if the study
    /// has none.
    func feedback(
        after questionnaire: String, of enrolment: Enrolment, at now: Instant
    ) async throws -> [JSON] {
        let published = try await context.study(of: enrolment)
        let ids = published.study.variables.filter {
            $0.shown == .participants && $0.after.contains(questionnaire)
        }.map(\.id)
        guard !ids.isEmpty else { return [] }
        let response = InsightResponse(published.study, language: enrolment.language)
        return try await values(of: ids, enrolment, published, at: now).values.map { value in
            response.feedback(value, published.variables.shape(of: value.variable))
        }
    }
}
