extension Assets {
    /// The embedded files by name. A test compares the list with the folder.
    static let embedded: [(name: String, bytes: [UInt8])] = [
        ("base.css", PackageResources.base_css),
        ("sw.js", PackageResources.sw_js),
        ("unsent.js", PackageResources.unsent_js),
        ("icon.svg", PackageResources.icon_svg),
        ("answer.js", PackageResources.answer_js),
        ("rules.js", PackageResources.rules_js),
        ("push.js", PackageResources.push_js),
        ("walk.js", PackageResources.walk_js),
        ("today.js", PackageResources.today_js),
        ("app.js", PackageResources.app_js),
    ]
}
