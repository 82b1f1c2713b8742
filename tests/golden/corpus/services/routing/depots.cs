namespace Parcel.Depots;

/// <summary>Holds parcels over night; see docs/depots.rst.</summary>
public class Depot
{
    public int Count { get; set; }

    public void Release() { Count = Count - 1; }
}

public enum Size { Small, Large }

public record Label(string Text);
