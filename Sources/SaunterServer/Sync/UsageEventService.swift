import Foundation
import SaunterCore
import SaunterStore

/// Validates and stores usage events.
struct UsageEventService: RecordService {
    static var bodySchema: Schema { UsageEventBody.schema }

    let context: ServerContext

    /// The codes of the features of the study. A device may upload an event about a feature that only an earlier
    /// version has, so the earlier versions are read for such an event.
    private func features(of json: JSON, _ enrolment: Enrolment) async throws -> Set<String> {
        guard let feature = json["feature"]?.string else { return [] }
        let current = Set(try await context.study(of: enrolment).study.features.map(\.code))
        guard !current.contains(feature) else { return current }
        let followed = try await context.followedStudies(of: enrolment)
        return Set(followed.flatMap { $0.study.features.map(\.code) })
    }

    /// Validates and stores an event. An event that happened after the participant had left is rejected.
    /// - Returns: the receipt, and whether the event is new.
    /// - Throws: `Problem` or `Faults` if the event is rejected.
    func put(
        _ uuid: UUID, _ json: JSON, of enrolment: Enrolment, now: Instant
    ) async throws -> RecordReceipt {
        let id = UsageEventID(uuid)
        let body = try UsageEventBody(json, features: try await features(of: json, enrolment))
        let skew = now.skew(of: body.clientNow)
        let happenedAt = body.at.adding(milliseconds: skew)
        if let endedAt = enrolment.endedAt, happenedAt >= endedAt {
            // A replay of an event that was stored before the participant left is confirmed.
            let isStored = try await context.store.isStored(id, of: enrolment.id, digest: body.digest)
            if isStored { return RecordReceipt(["event_id": .id(id), "replayed": .bool(true)], .replayed) }
            throw Problem(.enrolmentWithdrawn, "The event happened after the participant had left the study.")
        }
        var submission = UsageEventSubmission(
            study: enrolment.study, enrolment: enrolment.id, id: id, event: body.event,
            happenedAt: body.at, receivedAt: now, zone: body.zone, skewMs: skew, occasion: body.occasion,
            questionnaire: body.questionnaire, feature: body.feature, collection: body.collection,
            item: body.item, seconds: body.seconds, properties: body.properties, digest: body.digest,
            body: body.json)
        submission.affectsRules = try await context.study(of: enrolment)
            .rules.needs.usageEvents.contains(body.event.rawValue)
        let receipt = try await context.save(submission)
        return RecordReceipt(
            ["event_id": .id(id), "replayed": .bool(!receipt.isNew)], isNew: receipt.isNew)
    }
}
