import Foundation
import HTTPTypes
import SaunterCore
import SaunterServer

/// Opens the functions of the app. The first visit shows what a function is for. Opening is a usage event.
struct FeaturePages: Sendable {
    let context: PageContext

    var feature: Route {
        context.get("/my/{id}/f/{feature}") { request in
            var request = request
            let participant = try await request.participant()
            let (feature, path) = try feature(of: participant, request)
            guard !feature.isKnown, !feature.text.isEmpty else {
                return PageRenderer.redirect(participant.home + path)
            }
            return context.renderer.page(
                "feature", title: feature.title,
                ["text": feature.text, "address": "\(participant.home)/f/\(feature.code)"],
                frame: participant.frame(request.words, current: path), of: request)
        }
    }

    var open: Route {
        context.post("/my/{id}/f/{feature}") { request in
            var request = request
            let participant = try await request.participant()
            let (feature, path) = try feature(of: participant, request)
            let now = JSON.string(request.call.now.description)
            // A participant who left can read, and does not use the study any more.
            if participant.isActive {
                try await request.send(
                    .post, "\(participant.resource)/sync",
                    [
                        "client_now": now,
                        "items": [
                            [
                                "kind": "usage_event", "id": .string(UUID().uuidString.lowercased()),
                                "body": [
                                    "event": "feature_opened", "feature": .string(feature.code), "at": now,
                                    "time_zone": participant.enrolment["time_zone"] ?? "UTC",
                                ],
                            ]
                        ],
                    ])
            }
            return PageRenderer.redirect(participant.home + path)
        }
    }

    private func feature(
        of participant: Participant, _ request: PageRequest
    ) throws -> (feature: Feature, path: String) {
        let code = try request.path("feature")
        guard let feature = participant.features.first(where: { $0.code == code }), let path = feature.path
        else { throw Problem(.notFound) }
        return (feature, path)
    }
}
