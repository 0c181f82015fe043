import HTTPTypes
import SaunterCore
import SaunterStore

/// Series that other sensors measured: respiration, glucose, blood pressure, steps.
struct ObservationRoutes: Sendable {
    let context: ServerContext

    private static let observationParameter = PathParameter.uuid("observation_id", "Made by the device.")

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant, tag: "Observations",
            summary: "Hand in an observation",
            description: """
                A series of one thing, or of several that are measured together, under a code of LOINC or of one's own, with units of UCUM. What is known of \
                a code is checked: its units, and which values can be. What its source says better later is handed in again under the same id with a higher revision.
                """,
            parameters: [.enrolment, Self.observationParameter],
            body: .json(ObservationBody.schema, limit: BodyRule.walkLimit, example: ObservationBody.example),
            outcomes: [
                .json(.created, "Stored, or revised.", ObservationWire.receiptSchema),
                .json(.ok, "Stored before, as told; or a later revision is.", ObservationWire.receiptSchema),
            ], problems: [.observationInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let result = try await ObservationDesk(context: context)
                .put(try call.id("observation_id"), call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/observations", who: .participant, tag: "Observations",
            summary: "Observations, the newest first",
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "code", .string(minLength: 1, maxLength: 100), "Only those of this code of LOINC."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(.ok, "Observations with their summaries.", .page(of: ObservationWire.listedSchema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let place = try call.place()
            let found = try await context.store.listObservations(
                enrolment.id,
                codes: call.query("code").map { [ObservationCode(system: ObservationCode.loinc, code: $0)] },
                before: place.map { ($0.moment, ObservationID($0.id)) }, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { PagePlace(moment: $0.startedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(ObservationWire.listed), next: next,
                path: "/v1/enrolments/\(enrolment.id)/observations", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant, tag: "Observations",
            summary: "One observation with its samples",
            parameters: [.enrolment, Self.observationParameter],
            outcomes: [.json(.ok, "The observation.", ObservationWire.detailSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard
                let found = try await context.store.findObservation(
                    enrolment.id, try call.id("observation_id"))
            else { throw Problem(.notFound) }
            return .json(.ok, ObservationWire.detail(found))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/observations/{observation_id}", who: .participant,
            tag: "Observations", summary: "Delete an observation",
            parameters: [.enrolment, Self.observationParameter], outcomes: [.empty(.noContent, "Deleted.")]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: ObservationID = try call.id("observation_id")
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "observation_deleted", study: enrolment.study,
                enrolment: enrolment.id, requestID: call.requestID, detail: ["observation_id": .id(id)])
            guard
                try await context.store.deleteObservation(enrolment.id, id, now: call.now, audit: audit)
            else { throw Problem(.notFound) }
            return .noContent
        }
    }
}
