import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to submit and read calibrations and walks.
struct WalkRoutes: Sendable {
    let context: ServerContext

    private var service: WalkService { WalkService(context: context) }

    static let walkParameter = PathParameter.uuid(
        "walk_id", "The UUID that the device generates when the walk starts.")

    var putCalibration: Route {
        Route(
            .put, "/v1/enrolments/{id}/calibrations/{calibration_id}", who: .participant, tag: "Walks",
            summary: "Submit a calibration",
            parameters: [.enrolment, .uuid("calibration_id", "The UUID that the device generates.")],
            body: .json(
                CalibrationService.bodySchema,
                example: [
                    "recorded_at": "2026-11-21T08:00:00.000Z", "mean_speed_kmh": 5.4, "reduction_percent": 30,
                    "duration_s": 120,
                ]),
            outcomes: [
                .json(.created, "The calibration is stored.", WalkResponse.calibrationReceiptSchema),
                .json(.ok, "The same calibration was already stored.", WalkResponse.calibrationReceiptSchema),
            ], problems: [.calibrationInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: CalibrationID = try call.id("calibration_id")
            let result = try await CalibrationService(context: context).put(
                id.uuid, call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    var currentCalibration: Route {
        Route(
            .get, "/v1/enrolments/{id}/calibrations/current", who: .participant, tag: "Walks",
            summary: "Get the active calibration", parameters: [.enrolment],
            outcomes: [.json(.ok, "The most recent calibration.", WalkResponse.calibrationSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let calibration = try await context.store.findCalibration(enrolment.id, at: call.now) else {
                throw Problem(.notFound, "The enrolment has no calibration yet.")
            }
            return .json(.ok, WalkResponse.calibration(calibration))
        }
    }

    var put: Route {
        Route(
            .put, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Submit a walk",
            description: """
                The server computes the summary. It excludes paused time and weights the heart rate by time. A walk \
                that began before the enrolment, or without a calibration that the study requires, is stored with \
                a flag. A walk that began after the participant left the study is rejected. The server drops \
                series and totals of data kinds that the participant does not permit, and adds a flag such as \
                `no_consent_heart_rate_bpm`. If the walk arrives before the calibration that was active at its start, \
                the server adds the target speed when that calibration arrives.
                """,
            parameters: [.enrolment, Self.walkParameter],
            body: .json(WalkBody.schema, limit: BodyRule.walkLimit, example: Self.example),
            outcomes: [
                .json(.created, "The walk is stored.", WalkResponse.receiptSchema),
                .json(.ok, "The same walk was already stored.", WalkResponse.receiptSchema),
            ], problems: [.walkInvalid, .idReused, .enrolmentWithdrawn]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: WalkID = try call.id("walk_id")
            let result = try await service.put(id.uuid, call.body, of: enrolment, now: call.now)
            return .json(result.isNew ? .created : .ok, result.json)
        }
    }

    private static let example: JSON = [
        "started_at": "2026-11-21T08:00:00.000Z", "ended_at": "2026-11-21T08:00:03.000Z",
        "time_zone": "Europe/Berlin",
        "pauses": [],
        "series": [
            "t_ms": [0, 1000, 2000], "speed_kmh": [3.9, 4.0, 4.1], "heart_rate_bpm": [92, 93, 93],
            "distance_m": [0, 1.1, 2.2],
        ],
    ]

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/walks", who: .participant, tag: "Walks",
            summary: "List walks, newest first",
            parameters: [.enrolment], query: [.limit, .cursor],
            outcomes: [
                .json(.ok, "A page of walks with their summaries.", .page(of: WalkResponse.listedSchema))
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let position = try call.listPosition()
            let walks = try await context.store.listWalks(
                enrolment.id, before: position.map { ($0.moment, WalkID($0.id)) }, limit: call.pageLimit + 1)
            let page = walks.prefix(call.pageLimit)
            let next =
                walks.count > page.count
                ? page.last.map { ListPosition(moment: $0.startedAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map(WalkResponse.listed), next: next, path: "/v1/enrolments/\(enrolment.id)/walks",
                query: call.pageQuery, publicURL: context.configuration.publicURL)
        }
    }

    var get: Route {
        Route(
            .get, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Get one walk with its series", parameters: [.enrolment, Self.walkParameter],
            outcomes: [.json(.ok, "The walk with its series.", WalkResponse.detailSchema)]
        ) { call in
            let enrolment = try await context.enrolment(call)
            guard let walk = try await context.store.findWalk(enrolment.id, call.id("walk_id")) else {
                throw Problem(.notFound)
            }
            return .json(.ok, WalkResponse.detail(walk))
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/enrolments/{id}/walks/{walk_id}", who: .participant, tag: "Walks",
            summary: "Delete a walk",
            parameters: [.enrolment, Self.walkParameter],
            outcomes: [.empty(.noContent, "The walk is deleted.")]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let id: WalkID = try call.id("walk_id")
            let audit = AuditEntry(
                actor: .participant, action: "walk_deleted", study: enrolment.study,
                enrolment: enrolment.id, record: id.uuid, requestID: call.requestID)
            let study = try await context.study(of: enrolment).study
            let isDeleted = try await context.store.deleteWalk(
                enrolment.id, id, study: study, now: call.now, audit: audit)
            guard isDeleted else { throw Problem(.notFound) }
            return .noContent
        }
    }
}
