import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for series of third-party sensors, such as respiration, glucose, blood pressure or steps.
struct ObservationRoutes: Sendable {
    let context: ServerContext

    private static let observationParameter = PathParameter.uuid(
        "observation_id", "The UUID that the device generates.")

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant, tag: "Observations",
            summary: "Submit an observation",
            description: """
                An observation is a series of one quantity, or of several quantities that are measured together. Its \
                code is from LOINC or from another code system, and its units are UCUM units. For the codes that it \
                knows, the server checks the units and the range of the values. To replace an observation by better \
                data, submit it again under the same id with a higher `revision`. An observation of a data kind that the \
                participant does not permit is rejected with the code `no_consent`.
                """,
            parameters: [.enrolment, Self.observationParameter],
            body: .json(ObservationBody.schema, limit: BodyRule.walkLimit, example: ObservationBody.example),
            outcomes: [
                .json(
                    .created, "The observation is stored, or it replaced an earlier revision.",
                    ObservationResponse.receiptSchema),
                .json(
                    .ok, "The same observation or a later revision was already stored.",
                    ObservationResponse.receiptSchema),
            ], problems: [.observationInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let result = try await ObservationService(context: context)
                .put(try call.id("observation_id"), call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/observations", who: .participant, tag: "Observations",
            summary: "List observations, newest first",
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "code", .string(minLength: 1, maxLength: 100), "Only observations with this LOINC code."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "A page of observations with summaries of their values.",
                    .page(of: ObservationResponse.listedSchema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let position = try call.listPosition()
            let found = try await context.store.listObservations(
                enrolment.id,
                codes: call.query("code").map { [ObservationCode(system: ObservationCode.loinc, code: $0)] },
                before: position.map { ($0.moment, ObservationID($0.id)) }, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { ListPosition(moment: $0.startedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(ObservationResponse.listed), next: next,
                path: "/v1/enrolments/\(enrolment.id)/observations", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant, tag: "Observations",
            summary: "Get one observation with its samples",
            parameters: [.enrolment, Self.observationParameter],
            outcomes: [.json(.ok, "The observation with its samples.", ObservationResponse.detailSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard
                let found = try await context.store.findObservation(
                    enrolment.id, try call.id("observation_id"))
            else { throw Problem(.notFound) }
            return .json(.ok, ObservationResponse.detail(found))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant,
            tag: "Observations", summary: "Delete an observation",
            parameters: [.enrolment, Self.observationParameter],
            outcomes: [.empty(.noContent, "The observation is deleted.")]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: ObservationID = try call.id("observation_id")
            let audit = AuditEntry(
                actor: .participant, action: "observation_deleted", study: enrolment.study,
                enrolment: enrolment.id, record: id.uuid, requestID: call.requestID)
            guard
                try await context.store.deleteObservation(enrolment.id, id, now: call.now, audit: audit)
            else { throw Problem(.notFound) }
            return .noContent
        }
    }
}
