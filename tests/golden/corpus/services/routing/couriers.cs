using System;
using Parcel.Depots;

namespace Parcel.Couriers
{
    /// <summary>Somebody who carries parcels.</summary>
    public interface ICourier { void Carry(Depot depot); }

    public abstract class Person { public string Name; protected Person(string name) { Name = name; } }

    public class Courier : Person, ICourier
    {
        public Courier(string name) : base(name) { }

        public void Carry(Depot depot)
        {
            depot.Release();
            Report(Name);
        }

        private static void Report(string name) { Console.WriteLine(name); }
    }
}
