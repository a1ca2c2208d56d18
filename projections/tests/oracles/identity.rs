use crate::peer::Peer;
