import HTTPTypes
import SaunterCore
import SaunterServer

/// The page that measures the ordinary walking speed, and sets how much slower a mindful walk is.
struct CalibrationPages: Sendable {
    let context: PageContext

    private static let fields = ["mean_speed_kmh", "reduction_percent", "duration_s"]

    var form: Route {
        context.get("/my/{id}/walk/calibrate") { request in
            var request = request
            let participant = try await request.participant()
            return page(participant, request, FormFaults(request.words))
        }
    }

    var send: Route {
        context.post("/my/{id}/walk/calibrate") { request in
            var request = request
            let participant = try await request.participant()
            var faults = FormFaults(request.words)
            let id =
                CalibrationID(request.field("calibration_id")) == nil
                ? AnswerForm.makeID() : request.field("calibration_id")
            do {
                try await request.send(
                    .put, "\(participant.resource)/calibrations/\(id)", body(of: request))
            } catch let problem as Problem where problem.type.status == 422 {
                for fault in problem.faults {
                    let field = fault.pointer.split(separator: "/").last.map(String.init) ?? ""
                    let isKnown = Self.fields.contains(field)
                    faults.add(
                        isKnown ? request.words.text("walk", "fault_\(field)") : fault.detail,
                        field: isKnown ? field : nil)
                }
                return page(participant, request, faults)
            }
            return PageRenderer.redirect(participant.home)
        }
    }

    private func body(of request: PageRequest) -> JSON {
        var body: JSONObject = ["recorded_at": .string(request.call.now.description)]
        for field in Self.fields { body[field] = AnswerFields.number(request.field(field)) }
        return .object(body)
    }

    private func page(_ participant: Participant, _ request: PageRequest, _ faults: FormFaults) -> Reply {
        let range = participant.study["walking"]?["reduction_percent"]
        let least = range?["min"]?.double ?? 0
        let most = range?["max"]?.double ?? 50
        func value(_ field: String, otherwise value: String) -> String {
            request.field(field).isEmpty ? value : request.field(field)
        }
        var model: [String: Any] = [
            "least": Int(least.rounded(.up)), "most": Int(most),
            "speed": request.field("mean_speed_kmh"),
            "percent": value("reduction_percent", otherwise: String(Int(((least + most) / 2).rounded()))),
            "duration": value("duration_s", otherwise: "120"),
            "home": participant.home,
        ]
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "calibrate", title: request.words.text("walk", "calibrate"), model,
            frame: participant.frame(
                request.words, current: "/walks", back: "\(participant.home)/walks", modules: ["walk"],
                styles: ["walk"]),
            of: request, status: faults.status)
    }
}
