//! Laws of DESIGN pages as HTML, over random pages.

use proptest::prelude::*;
use proptest::sample::Index;
use recto_projections::html::{design_to_html, fragment};

use crate::check::{check_round_trip, config, diff, merge, whole};
use crate::random_design::page;

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_page_comes_back_as_it_is(page in page()) {
        check_round_trip(&page);
    }

    #[test]
    fn a_fragment_comes_back_as_it_is(page in page(), chosen in proptest::collection::vec(any::<Index>(), 0..4)) {
        let ids: Vec<String> = page.tree().map(|node| node.id().to_string()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let chosen: Vec<&str> = chosen.iter().map(|index| ids[index.index(ids.len())].as_str()).collect();
        let html = fragment(&page, chosen.iter().copied());
        let read = merge(&html, &page);
        prop_assert_eq!(&read.warnings, &[], "{}", html);
        prop_assert_eq!(diff(&page, &read.value), vec![], "{}", html);
        for id in chosen {
            prop_assert!(read.named.contains(id));
        }
    }

    /// What is left out of the whole page goes; what is left out of a part stays.
    #[test]
    fn leaving_out_deletes_in_a_whole_page_only(page in page()) {
        prop_assert!(merge("", &page).value == page);
        let read = whole("", &page);
        prop_assert!(read.value.is_empty() && read.value.backgrounds().is_empty());
        prop_assert_eq!(read.removed.len(), page.len());
    }

    /// Writing a page is the same every time.
    #[test]
    fn writing_is_deterministic(page in page()) {
        let again = recto_projections::DesignValue::from_json(&page.to_json()).unwrap();
        prop_assert_eq!(design_to_html(&page), design_to_html(&again));
    }
}
