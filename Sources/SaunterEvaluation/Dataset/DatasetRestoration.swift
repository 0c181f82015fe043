/// What a dataset with `as_of` does not restore, because the database contains only the present state.
enum DatasetRestoration {
    /// One sentence per limit, for the README and the manifest.
    static let limits = [
        "Participants who were erased or excluded since are not included.",
        "Sheets and data that were purged since have no answers and no values.",
        "A planned occasion that had not opened shows its present window, and is missing if it was moved to another day or reinstated since.",
        "A score that was computed again since, with the same scoring key and engine, is missing.",
        "The standing and the flags of a sheet that got its occasion later are the present ones.",
        "An observation that a newer revision replaced since is missing.",
        "Language and reminder settings of an enrolment are the present ones.",
        "A study version to which an enrolment returned since is missing among the versions that it followed.",
        "Of a device that has sent more since, the last upload and the submissions are blank.",
    ]
}
