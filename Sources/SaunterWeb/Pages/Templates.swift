import Mustache

/// The templates of the web app. A test compares the list with the folder.
enum Templates {
    /// - Throws: an error of a template, with its position.
    static func library(_ files: WebFiles) throws -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, bytes) in try files.templates() {
            try library.register(String(decoding: bytes, as: UTF8.self), named: name)
        }
        return library
    }

    static let embedded: [(name: String, bytes: [UInt8])] = [
        ("layout", PackageResources.layout_mustache),
        ("problem", PackageResources.problem_mustache),
        ("start", PackageResources.start_mustache),
        ("study", PackageResources.study_mustache),
        ("login", PackageResources.login_mustache),
        ("login_link", PackageResources.login_link_mustache),
        ("register", PackageResources.register_mustache),
        ("reset", PackageResources.reset_mustache),
        ("reset_code", PackageResources.reset_code_mustache),
        ("consent", PackageResources.consent_mustache),
        ("my", PackageResources.my_mustache),
        ("today", PackageResources.today_mustache),
        ("answer", PackageResources.answer_mustache),
        ("item", PackageResources.item_mustache),
        ("option", PackageResources.option_mustache),
        ("instance", PackageResources.instance_mustache),
        ("question_notes", PackageResources.question_notes_mustache),
        ("reasons", PackageResources.reasons_mustache),
        ("sheet", PackageResources.sheet_mustache),
        ("talk", PackageResources.talk_mustache),
        ("sheet_delete", PackageResources.sheet_delete_mustache),
        ("card", PackageResources.card_mustache),
        ("collection", PackageResources.collection_mustache),
        ("contacts", PackageResources.contacts_mustache),
        ("closed", PackageResources.closed_mustache),
        ("entries", PackageResources.entries_mustache),
        ("insights", PackageResources.insights_mustache),
        ("more", PackageResources.more_mustache),
        ("feature", PackageResources.feature_mustache),
        ("welcome", PackageResources.welcome_mustache),
        ("course", PackageResources.course_mustache),
        ("licences", PackageResources.licences_mustache),
        ("messages", PackageResources.messages_mustache),
        ("settings", PackageResources.settings_mustache),
        ("leave", PackageResources.leave_mustache),
        ("erase", PackageResources.erase_mustache),
        ("erased", PackageResources.erased_mustache),
        ("unsent", PackageResources.unsent_mustache),
        ("offline", PackageResources.offline_mustache),
        ("walks", PackageResources.walks_mustache),
        ("walk", PackageResources.walk_mustache),
        ("walk_import", PackageResources.walk_import_mustache),
        ("calibrate", PackageResources.calibrate_mustache),
        ("record", PackageResources.record_mustache),
        ("errors", PackageResources.errors_mustache),
        ("confirm_email", PackageResources.confirm_email_mustache),
        ("join", PackageResources.join_mustache),
        ("renewal", PackageResources.renewal_mustache),
        ("own_settings", PackageResources.own_settings_mustache),
        ("settings_confirm", PackageResources.settings_confirm_mustache),
        ("staff", PackageResources.staff_mustache),
        ("staff_alerts", PackageResources.staff_alerts_mustache),
        ("staff_login", PackageResources.staff_login_mustache),
        ("staff_participant", PackageResources.staff_participant_mustache),
        ("staff_sheet", PackageResources.staff_sheet_mustache),
        ("staff_join", PackageResources.staff_join_mustache),
        ("staff_poster", PackageResources.staff_poster_mustache),
        ("staff_roles", PackageResources.staff_roles_mustache),
        ("staff_role_removal", PackageResources.staff_role_removal_mustache),
        ("staff_study", PackageResources.staff_study_mustache),
        ("staff_live", PackageResources.staff_live_mustache),
        ("staff_participants", PackageResources.staff_participants_mustache),
        ("staff_table", PackageResources.staff_table_mustache),
    ]
}
