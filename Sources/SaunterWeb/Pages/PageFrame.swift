/// What a page shows around its content: the study, the navigation and the account.
struct PageFrame {
    /// The title of the study in the header; nil for pages without a study.
    var studyTitle: String?
    /// The address of the header's title.
    var home = "/"
    /// The entries of the navigation.
    var navigation: [Link] = []
    /// The entries behind “More” at the end of the navigation.
    var more: [Link] = []
    /// The pages above this one, the highest first; empty for none.
    var breadcrumb: [Link] = []
    /// Whether the visitor is logged in.
    var isLoggedIn = false
    /// The address to which the page leads back; nil for none.
    var back: String?
    /// The names of the script modules of the page, without `.js`.
    var modules: [String] = []
    /// The names of the style sheets after `base.css`, without `.css`.
    var styles = ["pages"]
    /// The colours and the icon of the study; nil for those of Saunter.
    var look: StudyLook?
    /// The address of the web app's manifest; nil for pages without a study.
    var manifest: String?
    /// The address of the contacts for a crisis; nil if the study has none.
    var contacts: String?
    /// The colour scheme of the page: `system`, `light` or `dark`.
    var mode: String?

    /// A link of the navigation.
    struct Link {
        var title: String
        var address: String
        var isCurrent = false
        /// The page to which the address leads after it has counted the visit; nil if it counts nothing.
        var target: String?

        var model: [String: Any] {
            var model: [String: Any] = ["title": title, "address": address, "current": isCurrent]
            model["target"] = target
            return model
        }
    }

    var model: [String: Any] {
        var model: [String: Any] = ["home": home, "logged_in": isLoggedIn, "mode": mode ?? "system"]
        model["study_title"] = studyTitle
        model["back"] = back
        model["manifest"] = manifest
        model["contacts"] = contacts
        model["brand_css"] = look?.styleSheet
        model["brand_icon"] = look?.icon
        if !breadcrumb.isEmpty {
            model["breadcrumb"] = [
                "links": breadcrumb.map { ["title": $0.title, "address": $0.address] }
            ]
        }
        if !navigation.isEmpty {
            var entries: [String: Any] = ["links": navigation.map(\.model)]
            if !more.isEmpty {
                entries["more"] = ["links": more.map(\.model), "open": more.contains(where: \.isCurrent)]
            }
            model["navigation"] = entries
        }
        return model
    }
}
