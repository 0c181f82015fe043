import Foundation
import SaunterCore
import SaunterStore

/// Reads an enrolment's data points page by page: first the samples of its observations, then its walks.
struct DataPointReader: Sendable {
    let store: Store
    let enrolment: EnrolmentID
    /// The names of the schemas to return.
    let schemas: [String]
    /// Only data points that overlap this time span are returned.
    let span: Range<Instant>

    /// Observations per query. The number is small because an observation can have many samples.
    private static let observationPageSize = 20
    private static let walkSchema = "physical-activity"

    /// - Parameter position: where the page begins; nil for the first page.
    /// - Returns: at most `limit` points, and the position of the next page if there is one.
    func page(
        from position: DataPointCursor?, limit: Int
    ) async throws -> (points: [JSON], next: DataPointCursor?) {
        var points: [JSON] = []
        if position?.isWalk != true,
            let next = try await addSamples(to: &points, from: position, limit: limit)
        {
            return (points, next)
        }
        guard schemas.contains(Self.walkSchema) else { return (points, nil) }
        let next = try await addWalks(
            to: &points, from: position?.isWalk == true ? position : nil, limit: limit)
        return (points, next)
    }

    private func addSamples(
        to points: inout [JSON], from start: DataPointCursor?, limit: Int
    ) async throws -> DataPointCursor? {
        let codes = schemas.compactMap { DataPointSchema.of($0) }.flatMap(\.codes)
        var position = start
        while true {
            let found = try await store.listObservationSamples(
                enrolment, codes: codes, in: span, from: position.map { ($0.startedAt, $0.id) },
                limit: Self.observationPageSize)
            for observation in found {
                let first = observation.id.uuid == position?.id ? position?.sample ?? 0 : 0
                for sample in stride(from: first, to: observation.sampleCount, by: 1) {
                    guard let point = DataPointResponse.point(observation, sample: sample, in: span) else {
                        continue
                    }
                    guard points.count < limit else {
                        return DataPointCursor(
                            isWalk: false, startedAt: observation.startedAt, id: observation.id.uuid,
                            sample: sample)
                    }
                    points.append(point)
                }
            }
            guard found.count == Self.observationPageSize, let last = found.last else { return nil }
            position = DataPointCursor(
                isWalk: false, startedAt: last.startedAt, id: last.id.uuid, sample: .max)
        }
    }

    private func addWalks(
        to points: inout [JSON], from start: DataPointCursor?, limit: Int
    ) async throws -> DataPointCursor? {
        var before: (startedAt: Instant, id: WalkID)? = start.map { ($0.startedAt, WalkID($0.id)) }
        while true {
            let found = try await store.listWalks(enrolment, before: before, limit: limit + 1)
            for walk in found {
                guard let point = DataPointResponse.point(walk, in: span) else { continue }
                guard points.count < limit else {
                    // The next page continues after the last returned walk, or at the beginning if there is none.
                    return DataPointCursor(
                        isWalk: true, startedAt: before?.startedAt ?? .maximum,
                        id: before?.id.uuid ?? DataPointCursor.largestID,
                        sample: 0)
                }
                points.append(point)
                before = (walk.startedAt, walk.id)
            }
            guard found.count > limit, let last = found.last else { return nil }
            before = (last.startedAt, last.id)
        }
    }
}

extension DataPointCursor {
    /// The largest UUID. Together with `Instant.maximum` it precedes every walk in a list with the newest first.
    static let largestID = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}
