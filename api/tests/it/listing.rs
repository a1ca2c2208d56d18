//! Lists, ids, and the exactness of what comes back.

use serde_json::{Value as Json, json};

use crate::support::Api;

#[tokio::test]
async fn a_list_is_read_in_parts_by_its_links() {
    let api = Api::new().await;
    for index in 0..7 {
        let file = if index % 2 == 0 { "even" } else { "odd/1" };
        let body = json!({"id": format!("p {index}"), "kind": "SHEET", "file": file});
        assert_eq!(api.post("/v1/pages").new_key().json(&body).await.status, 201);
    }
    let mut ids = Vec::new();
    let mut next = Some("/v1/pages?limit=2".to_owned());
    while let Some(path) = next {
        let answer = api.get(&path).send().await;
        let list = answer.ok();
        ids.extend(
            list["pages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|page| page["id"].as_str().unwrap().to_owned()),
        );
        next = list["next"].as_str().map(str::to_owned);
        assert_eq!(
            answer.header("link"),
            next.as_ref().map(|next| format!("<{next}>; rel=\"next\"")).as_deref()
        );
    }
    assert_eq!(ids, (0..7).map(|index| format!("p {index}")).collect::<Vec<_>>());
    let odd = api.get("/v1/pages?file=odd%2F1&limit=2").send().await.ok();
    assert_eq!(odd["pages"].as_array().unwrap().len(), 2);
    let rest = api.get(odd["next"].as_str().unwrap()).send().await.ok();
    assert_eq!(
        (rest["pages"].as_array().unwrap().len(), &rest["next"]),
        (1, &Json::Null)
    );
}

#[tokio::test]
async fn an_id_may_hold_anything_that_is_escaped() {
    let api = Api::new().await;
    for id in ["a/b", "a b?c#d%", "ünï", "a+b;c=d&e", "日本"] {
        let made = api
            .post("/v1/pages")
            .new_key()
            .json(&json!({"id": id, "kind": "SHEET", "value": 1}))
            .await;
        let location = made.header("location").unwrap().to_owned();
        assert_eq!(api.get(&location).send().await.ok()["id"], id);
        assert_eq!(api.get(&format!("{location}/events/1")).send().await.ok()["page"], id);
    }
    for id in [".", "..", "", "a\u{7}b", &"x".repeat(129)] {
        let refused = api
            .post("/v1/pages")
            .new_key()
            .json(&json!({"id": id, "kind": "SHEET"}))
            .await;
        assert_eq!(refused.refused(422, "id_illegal")["pointer"], "/id");
    }
}

#[tokio::test]
async fn numbers_and_the_order_of_keys_come_back_as_they_went_in() {
    let api = Api::new().await;
    let text = r#"{"id":"p","kind":"SHEET","value":{"z":1,"a":1.0,"m":12345678901234567890.10,"e":-0,"b":[1.50]}}"#;
    assert_eq!(api.post("/v1/pages").new_key().text(text).send().await.status, 201);
    for forget in [false, true] {
        if forget {
            api.app.pages().forget_cached();
        }
        let page = api.get("/v1/pages/p").send().await;
        let body = String::from_utf8(page.body.to_vec()).unwrap();
        assert!(
            body.ends_with(r#","value":{"z":1,"a":1.0,"m":12345678901234567890.10,"e":-0,"b":[1.50]}}"#),
            "{body}"
        );
    }
}
