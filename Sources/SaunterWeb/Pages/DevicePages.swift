import HTTPTypes
import SaunterCore
import SaunterServer

/// What a device needs to keep pages and answers for times without a connection.
struct DevicePages: Sendable {
    let context: PageContext

    /// The records of this device that are not sent yet. The script of the page lists them.
    var unsent: Route {
        context.get("/unsent") { request in
            _ = try request.requireIdentity()
            return context.renderer.page(
                "unsent", title: request.words.text("device", "unsent"),
                frame: PageFrame(home: "/my", isLoggedIn: true, back: "/my", modules: ["unsent"]), of: request
            )
        }
    }

    /// Shown without a connection for a page that the device has not kept.
    var offline: Route {
        context.get("/offline") { request in
            context.renderer.page(
                "offline", title: request.words.text("device", "offline"), frame: PageFrame(home: "/my"),
                of: request)
        }
    }

    /// The service worker, with the addresses of the files that it keeps.
    var worker: Route {
        let files = context.renderer.assets.all.filter { !$0.hasPrefix("/assets/sw.") } + ["/offline"]
        let list = files.map { JSON.string($0).text }.joined(separator: ",")
        let digest = EntityTag(of: Array(list.utf8)).value.prefix(8)
        let script = context.renderer.assets.text(of: "sw.js")
            .replacing("__DIGEST__", with: String(digest)).replacing("__FILES__", with: list)
        return context.get("/sw.js") { _ in
            .bytes(
                Array(script.utf8), contentType: "text/javascript; charset=utf-8",
                headers: [
                    .cacheControl: "no-cache", .contentSecurityPolicy: PageRenderer.contentSecurityPolicy,
                ])
        }
    }

    /// The manifest of a study's web app, which can be installed.
    var manifest: Route {
        context.get("/studies/{study}/manifest.webmanifest") { request in
            let study = try await request.get("/v1/studies/\(PageAddress.encode(try request.path("study")))")
            let title = study["title"]?.string ?? "Saunter"
            return .document(
                [
                    "id": .string("/studies/\(study["study"]?.string ?? "")"), "name": .string(title),
                    "short_name": .string(String(title.prefix(12))), "start_url": "/my", "scope": "/",
                    "display": "standalone", "background_color": "#FAF9F6", "theme_color": "#1E6A5B",
                    "icons": [
                        [
                            "src": .string(context.renderer.assets["icon.svg"]), "sizes": "any",
                            "type": "image/svg+xml", "purpose": "any",
                        ]
                    ],
                ], contentType: "application/manifest+json")
        }
    }
}
