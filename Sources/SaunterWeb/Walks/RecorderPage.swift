import SaunterCore
import SaunterServer

/// The recorder of a walk. It needs script; without it the page leads to the import.
struct RecorderPage: Sendable {
    let context: PageContext

    var record: Route {
        context.get("/my/{id}/walk") { request in
            var request = request
            let participant = try await request.participant()
            let walk = try await request.get("\(participant.resource)/overview")["walk"] ?? .null
            let forbidden = Self.forbiddenSeries(participant)
            var model: [String: Any] = [
                "may_start": walk["may_start"]?.bool ?? false,
                "needs_calibration": walk["reason"]?.string == "calibration_missing",
                "is_over": walk["reason"]?.string == "not_enrolled",
                "has_walks": walk["reason"]?.string != "not_in_study",
                "home": participant.home, "feedback": walk["target_feedback"]?.bool ?? false,
                "forbidden": forbidden.joined(separator: " "),
                "no_heart_rate": forbidden.contains("heart_rate_bpm"),
            ]
            if let target = walk["target_speed_kmh"]?.double { model["target"] = "\(target)" }
            return context.renderer.page(
                "record", title: request.words.text("walk", "record"), model,
                frame: participant.frame(
                    request.words, current: "/walks", back: participant.home, modules: ["walk"],
                    styles: ["walk"]), of: request)
        }
    }

    /// The series of walks that belong to a kind of data that the participant does not permit. They are not recorded.
    private static func forbiddenSeries(_ participant: Participant) -> [String] {
        let permitted = participant.permittedKinds
        return (participant.study["data_kinds"]?.array ?? []).filter { kind in
            !permitted.contains(kind["data_kind"]?.string ?? "")
        }.flatMap { ($0["walk_series"]?.array ?? []).compactMap(\.string) }
    }
}
