package com.parcel.tracking.model;

/** Something that happened to a parcel. */
public record Event(String text) {
    public boolean isDelivery() {
        return text.startsWith("delivered");
    }
}
