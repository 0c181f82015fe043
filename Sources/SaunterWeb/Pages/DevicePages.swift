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
                ["unsent_words": request.words.json("device")],
                frame: PageFrame(home: "/my", isLoggedIn: true, back: "/my", modules: ["unsent"]), of: request
            )
        }
    }

    /// Shown without a connection for a page that the device has not kept.
    var offline: Route {
        context.get("/offline") { request in
            context.renderer.page(
                "offline", title: request.words.text("device", "offline"),
                frame: PageFrame(home: "/my", modules: ["offline"]), of: request)
        }
    }

    /// The service worker, with the addresses of the files that it keeps.
    var worker: Route {
        // The words of a language are kept with the pages that name them. Only a browser that installs the app needs
        // its icons, and it is connected then. Registering, logging in, the preview of colours and the pages of study
        // teams need a connection too.
        let others = [
            "sw.", "words_", "icon-", "account.", "adopting.", "preview.", "staff.", "refresh.", "draft.",
            "editor.",
            "rehearsal.",
        ].map { "/assets/" + $0 }
        let files =
            context.renderer.assets.all.filter { file in !others.contains { file.hasPrefix($0) } }
            + ["/offline"]
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
}
