import HTTPTypes
import SaunterCore
import SaunterServer

/// The pages about walks: the list, one walk with its figures, the calibration, and the recorder.
struct WalkPages: Sendable {
    let context: PageContext

    var walks: Route {
        context.get("/my/{id}/walks", query: ["cursor", "deleted"]) { request in
            var request = request
            let participant = try await request.participant()
            var query = "limit=50"
            if let cursor = request.call.query("cursor") { query += "&cursor=\(PageAddress.encode(cursor))" }
            let page = try await request.get("\(participant.resource)/walks", query: query)
            let time = LocalTimeText(
                language: request.words.code, zone: participant.enrolment["time_zone"]?.string ?? "")
            let items = (page["items"]?.array ?? []).map { walk -> [String: Any] in
                [
                    "address": "\(participant.home)/walks/\(walk["walk_id"]?.string ?? "")",
                    "title": walk["started_at"]?.instant.map { time.dayAndTime($0) } ?? "",
                    "line": WalkText(request.words).line(walk["summary"] ?? .null),
                ]
            }
            let overview = try await request.get("\(participant.resource)/overview")
            var model: [String: Any] = [
                "items": items, "has_items": !items.isEmpty, "home": participant.home,
                "may_start": overview["walk"]?["may_start"]?.bool ?? false,
                "deleted": request.call.query("deleted") != nil,
            ]
            if let next = page["next"]?.string, let range = next.firstRange(of: "cursor=") {
                model["next"] =
                    "\(participant.home)/walks?cursor=\(next[range.upperBound...].prefix { $0 != "&" })"
            }
            return context.renderer.page(
                "walks", title: request.words.text("nav", "walks"), model,
                frame: participant.frame(request.words, current: "/walks"), of: request)
        }
    }

    var walk: Route {
        context.get("/my/{id}/walks/{walk}") { request in
            var request = request
            let participant = try await request.participant()
            let walk = try await request.get(
                "\(participant.resource)/walks/\(PageAddress.encode(try request.path("walk")))")
            let time = LocalTimeText(
                language: request.words.code, zone: walk["time_zone"]?.string ?? "")
            let text = WalkText(request.words)
            var model: [String: Any] = [
                "rows": text.rows(walk["summary"] ?? .null), "home": participant.home,
                "address": "\(participant.home)/walks/\(walk["walk_id"]?.string ?? "")",
            ]
            if let start = walk["started_at"]?.instant, let end = walk["ended_at"]?.instant {
                model["times"] = "\(time.dayAndTime(start)) – \(time.time(end))"
            }
            let figures = WalkFigure(walk, request.words)
            model["figures"] = figures.all.map { ["svg": $0.svg, "caption": $0.caption] }
            return context.renderer.page(
                "walk", title: request.words.text("walk", "one"), model,
                frame: participant.frame(request.words, current: "/walks", back: "\(participant.home)/walks"),
                of: request)
        }
    }

    var delete: Route {
        context.post("/my/{id}/walks/{walk}") { request in
            var request = request
            let participant = try await request.participant()
            guard request.field("confirmed") == "on" else {
                return PageRenderer.redirect(
                    "\(participant.home)/walks/\(PageAddress.encode(try request.path("walk")))")
            }
            try await request.send(
                .delete, "\(participant.resource)/walks/\(PageAddress.encode(try request.path("walk")))")
            return PageRenderer.redirect("\(participant.home)/walks?deleted=1")
        }
    }

    // MARK: - Calibration

    var calibrate: Route {
        context.get("/my/{id}/walk/calibrate") { request in
            var request = request
            let participant = try await request.participant()
            return try await calibratePage(participant, request, FormFaults(request.words))
        }
    }

    private func calibratePage(
        _ participant: Participant, _ request: PageRequest, _ faults: FormFaults
    ) async throws -> Reply {
        let range = participant.study["walking"]?["reduction_percent"]
        let least = range?["min"]?.double ?? 0
        let most = range?["max"]?.double ?? 50
        var model: [String: Any] = [
            "least": Int(least.rounded(.up)), "most": Int(most),
            "speed": request.field("mean_speed_kmh"),
            "percent": request.field("reduction_percent").isEmpty
                ? String(Int(((least + most) / 2).rounded())) : request.field("reduction_percent"),
        ]
        for (name, value) in faults.model { model[name] = value }
        return context.renderer.page(
            "calibrate", title: faults.title(request.words.text("walk", "calibrate")), model,
            frame: participant.frame(
                request.words, current: "/walks", back: "\(participant.home)/walks", modules: ["walk"]),
            of: request,
            status: faults.status)
    }

    var sendCalibration: Route {
        context.post("/my/{id}/walk/calibrate") { request in
            var request = request
            let participant = try await request.participant()
            var faults = FormFaults(request.words)
            let id =
                CalibrationID(request.field("calibration_id")) == nil
                ? AnswerForm.makeID() : request.field("calibration_id")
            do {
                try await request.send(
                    .put, "\(participant.resource)/calibrations/\(id)",
                    [
                        "recorded_at": .string(request.call.now.description),
                        "mean_speed_kmh": AnswerFields.number(request.field("mean_speed_kmh")),
                        "reduction_percent": AnswerFields.number(request.field("reduction_percent")),
                        "duration_s": AnswerFields.number(
                            request.field("duration_s").isEmpty ? "120" : request.field("duration_s")),
                    ])
            } catch let problem as Problem where problem.type.status == 422 {
                for fault in problem.faults {
                    let field = fault.pointer.split(separator: "/").last.map(String.init) ?? ""
                    let known = ["mean_speed_kmh", "reduction_percent"].contains(field)
                    faults.add(
                        known ? request.words.text("walk", "fault_\(field)") : fault.detail,
                        field: known ? field : nil)
                }
                return try await calibratePage(participant, request, faults)
            }
            return PageRenderer.redirect(participant.home)
        }
    }

    // MARK: - Recording and importing

    /// The recorder. It needs script; without it the page leads to the import.
    var record: Route {
        context.get("/my/{id}/walk") { request in
            var request = request
            let participant = try await request.participant()
            let overview = try await request.get("\(participant.resource)/overview")
            let walk = overview["walk"] ?? .null
            var model: [String: Any] = [
                "may_start": walk["may_start"]?.bool ?? false, "home": participant.home,
                "api": "\(participant.resource)/walks/",
                "feedback": walk["target_feedback"]?.bool ?? false,
            ]
            if let target = walk["target_speed_kmh"]?.double { model["target"] = "\(target)" }
            let title = request.words.text("walk", "record")
            return context.renderer.page(
                "record", title: title, model,
                frame: participant.frame(
                    request.words, current: "/walks", back: participant.home, modules: ["walk"]), of: request)
        }
    }

    var importing: Route {
        context.get("/my/{id}/walks/import") { request in
            var request = request
            let participant = try await request.participant()
            return context.renderer.page(
                "walk_import", title: request.words.text("walk", "import"),
                ["api": "\(participant.resource)/walk-imports", "home": participant.home],
                frame: participant.frame(
                    request.words, current: "/walks", back: "\(participant.home)/walks", modules: ["walk"]),
                of: request)
        }
    }
}

/// The values of a walk in words.
struct WalkText {
    private let words: Words.Language

    init(_ words: Words.Language) {
        self.words = words
    }

    /// "24 min · 1,480 m · 3.7 km/h"
    func line(_ summary: JSON) -> String {
        var parts = [minutes(summary["active_s"]?.double ?? 0)]
        if let metres = summary["distance_m"]?.double { parts.append("\(Int(metres.rounded())) m") }
        if let speed = summary["mean_speed_kmh"]?.double { parts.append("\(words.number(speed)) km/h") }
        if let rate = summary["mean_heart_rate_bpm"]?.double { parts.append("\(Int(rate.rounded())) bpm") }
        return parts.joined(separator: " · ")
    }

    /// One row for each value that was measured.
    func rows(_ summary: JSON) -> [[String: Any]] {
        let units: [(name: String, unit: String)] = [
            ("distance_m", "m"), ("mean_speed_kmh", "km/h"), ("mean_heart_rate_bpm", "bpm"),
            ("max_heart_rate_bpm", "bpm"), ("active_energy_kcal", "kcal"), ("target_speed_kmh", "km/h"),
            ("above_target_count", ""),
        ]
        var rows: [[String: Any]] = [
            ["label": words.text("walk", "active_s"), "value": minutes(summary["active_s"]?.double ?? 0)]
        ]
        rows += units.compactMap { name, unit in
            summary[name]?.double.map {
                ["label": words.text("walk", name), "value": "\(words.number($0)) \(unit)"]
            }
        }
        if let seconds = summary["above_target_s"]?.double {
            rows.append([
                "label": words.text("walk", "above_target_s"), "value": minutes(seconds),
            ])
        }
        return rows
    }

    private func minutes(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60) min"
    }
}
