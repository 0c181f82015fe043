import SaunterCore
import SaunterStore

/// Takes observations in: by single requests, from a device's outbox, and as data points.
struct ObservationDesk: Sendable {
    let context: ServerContext

    /// Checks and stores an observation. One of odd times is stored all the same, and flagged.
    func put(
        _ id: ObservationID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> (json: JSON, isNew: Bool) {
        let body: ObservationBody
        do {
            body = try ObservationBody(json)
        } catch {
            throw Problem(.observationInvalid, error)
        }
        return try await store(
            ObservationSubmission(
                enrolment: enrolment.id, study: enrolment.study, id: id, revision: body.revision,
                observation: body.observation, zone: body.zone, device: body.device,
                skewMs: now.skew(of: body.clientNow), receivedAt: now, digest: body.digest, body: body.json),
            of: enrolment)
    }

    /// Stores what has been read, with what is odd about its times.
    func store(
        _ given: ObservationSubmission, of enrolment: Enrolment
    ) async throws -> (json: JSON, isNew: Bool) {
        var submission = given
        let observation = submission.observation
        let startedAt = observation.startedAt.adding(milliseconds: submission.skewMs)
        if let endedAt = enrolment.endedAt, startedAt >= endedAt {
            let found = try await context.store.findObservation(
                enrolment.id, submission.id, evenDeleted: true)
            guard found?.revision ?? 0 >= submission.revision else {
                throw Problem(
                    .enrolmentWithdrawn, "It was measured after the participant had left the study.")
            }
        }
        submission.flags = WalkFlag.ofTimes(
            from: observation.startedAt, to: observation.endedAt, enrolledAt: enrolment.enrolledAt,
            status: EnrolmentStatus(endedAt: enrolment.endedAt), receivedAt: submission.receivedAt,
            skewMs: submission.skewMs
        ).map(\.rawValue)
        let receipt = try await context.ingest.submit(submission)
        guard receipt != .conflict else {
            throw Problem(
                .idReused,
                "Another observation was handed in under this id, and of no earlier revision. It is put aside, as the first thousand of an enrolment are."
            )
        }
        // One that was deleted meanwhile was stored all the same: whoever sends it again is told what it was told.
        let found = try await context.store.findObservation(enrolment.id, submission.id, evenDeleted: true)
        guard let stored = found else { throw Problem(.notFound) }
        return (ObservationWire.receipt(stored, replayed: receipt == .replayed), receipt == .stored)
    }
}
