import HTTPTypes
import SaunterCore
import SaunterServer

/// Files that belong to one study: its pictures, sounds and films, and the manifest with which its app can be
/// installed.
struct StudyFiles: Sendable {
    let context: PageContext

    /// A picture, sound or film of the study's pack. Its name contains its digest, so browsers keep it for ever. A file
    /// of a locked practice is only for those who may open the practice.
    var media: Route {
        context.get("/media/{study}/{file}") { request in
            let (file, isPublic) = try await context.server.media(
                try request.path("file"), of: try request.path("study"), for: request.identity,
                at: request.call.now)
            return try .file(
                file.bytes, contentType: file.format.mediaType,
                headers: [
                    .cacheControl: "\(isPublic ? "public" : "private"), max-age=31536000, immutable",
                    // A browser that opens the file itself runs nothing in it.
                    .contentSecurityPolicy: "default-src 'none'; sandbox",
                ], request: request.call.headers)
        }
    }

    /// The manifest of the study's app in the language of the visitor.
    var manifest: Route {
        context.get("/studies/{study}/manifest.webmanifest") { request in
            let code = PageAddress.encode(try request.path("study"))
            let study = try await request.get("/v1/studies/\(code)")
            let title = study["title"]?.string ?? "Saunter"
            let accent = study["brand"]?["accent"]?.string.flatMap { RGBColour($0) }.map {
                AccentColour($0).light.accent.text
            }
            let features = (study["features"]?.array ?? []).map { Feature($0) }.filter { $0.path != nil }
            return .document(
                [
                    "id": .string("/studies/\(code)"), "name": .string(title),
                    "short_name": .string(
                        study["brand"]?["short_name"]?.string ?? String(title.prefix(12))),
                    "description": study["summary"] ?? "", "lang": .string(request.words.code),
                    "dir": .string(request.words.direction), "start_url": .string("/studies/\(code)/my"),
                    "scope": "/", "display": "standalone", "background_color": "#FAF9F6",
                    "theme_color": .string(accent ?? "#1E6A5B"),
                    "icons": .array(icons(study["brand"]?["icon"]?.string)),
                    "shortcuts": .array(
                        features.prefix(Participant.featuresInNavigation).map { feature in
                            [
                                "name": .string(feature.title),
                                "url": .string("/studies/\(code)/my?feature=\(feature.code)"),
                            ]
                        }),
                ], contentType: "application/manifest+json", headers: [.vary: "Accept-Language, Cookie"])
        }
    }

    private func icons(_ own: String?) -> [JSON] {
        func icon(_ address: String, _ pixels: Int, _ purpose: String) -> JSON {
            [
                "src": .string(address), "sizes": .string("\(pixels)x\(pixels)"), "type": "image/png",
                "purpose": .string(purpose),
            ]
        }
        if let own { return [icon(own, 512, "any"), icon(own, 512, "maskable")] }
        let assets = context.renderer.assets
        return [
            icon(assets["icon-192.png"], 192, "any"), icon(assets["icon-512.png"], 512, "any"),
            icon(assets["icon-512.png"], 512, "maskable"),
        ]
    }

    /// Opens the visitor's own pages in the study. The installed app begins here.
    var mine: Route {
        context.get("/studies/{study}/my", query: ["feature"]) { request in
            _ = try request.requireIdentity()
            let code = PageAddress.encode(try request.path("study"))
            let enrolments = try await request.get("/v1/enrolments")["items"]?.array ?? []
            guard
                let id = enrolments.first(where: { $0["study"]?.string == code })?["enrolment_id"]?.string
            else { return PageRenderer.redirect("/studies/\(code)") }
            let feature = request.call.query("feature").map { "/f/\(PageAddress.encode($0))" } ?? ""
            return PageRenderer.redirect(PageAddress.home(id) + feature)
        }
    }
}
