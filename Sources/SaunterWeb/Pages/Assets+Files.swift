extension Assets {
    /// The embedded files by name. A test compares the list with the folder.
    static let embedded: [(name: String, bytes: [UInt8])] = [
        ("base.css", PackageResources.base_css),
        ("sw.js", PackageResources.sw_js),
        ("outbox.js", PackageResources.outbox_js),
        ("unsent.js", PackageResources.unsent_js),
        ("offline.js", PackageResources.offline_js),
        ("icon.svg", PackageResources.icon_svg),
        ("icon-192.png", PackageResources.icon_192_png),
        ("icon-512.png", PackageResources.icon_512_png),
        ("answer.js", PackageResources.answer_js),
        ("controls.js", PackageResources.controls_js),
        ("closed.js", PackageResources.closed_js),
        ("rules.js", PackageResources.rules_js),
        ("push.js", PackageResources.push_js),
        ("account.js", PackageResources.account_js),
        ("settings.js", PackageResources.settings_js),
        ("beacon.js", PackageResources.beacon_js),
        ("walk.js", PackageResources.walk_js),
        ("today.js", PackageResources.today_js),
        ("app.js", PackageResources.app_js),
    ]
}
